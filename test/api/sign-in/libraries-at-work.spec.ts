import { Session, type Profiler } from 'node:inspector';
import { bearer, cookie, LIST } from '../../setup/http-call.js';
import { signInSuite } from './world.js';

const CALLS = 10;

/** The functions that the libraries of the plan must run on a request, by file and name. */
const AT_WORK: Readonly<Record<string, readonly [file: RegExp, name: string]>> = {
  'passport-jwt authenticates': [/passport-jwt\/lib\/strategy\.js$/, 'JwtStrategy.authenticate'],
  'passport-jwt verifies': [/passport-jwt\/lib\/verify_jwt\.js$/, 'module.exports'],
  'the throttler guards': [/throttler\/dist\/throttler\.guard\.js$/, 'canActivate'],
  'the throttler counts': [/throttler\/dist\/throttler\.guard\.js$/, 'handleRequest'],
  'TypeORM lends the connection': [/PostgresDriver\.js$/, 'obtainMasterConnection'],
  'class-transformer makes the DTO': [/class-transformer\/.*\/index\.js$/, 'plainToInstance'],
  'class-validator checks the DTO': [/class-validator\/.*\/Validator\.js$/, 'validate'],
};

/** What V8 counts while the service works. */
class Coverage {
  readonly #inspector = new Session();

  async start(): Promise<void> {
    this.#inspector.connect();
    await this.#post('Profiler.enable');
    await this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  stop(): void {
    this.#inspector.disconnect();
  }

  /** Which of the functions have not run since it was asked last. */
  async idle(): Promise<string[]> {
    const { result } = await this.#post<Profiler.TakePreciseCoverageReturnType>(
      'Profiler.takePreciseCoverage',
    );
    const hasRun = ([file, name]: readonly [RegExp, string]): boolean =>
      result
        .filter(({ url }) => file.test(url))
        .flatMap(({ functions }) => functions)
        .some(({ functionName, ranges }) => functionName === name && ranges[0]?.count !== 0);
    return Object.entries(AT_WORK)
      .filter(([, where]) => !hasRun(where))
      .map(([what]) => what);
  }

  #post<T>(method: string, parameters: object = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#inspector.post(method, parameters, (error: Error | null, result) =>
        error ? reject(error) : resolve(result as T),
      );
    });
  }
}

describe('the libraries of the plan', () => {
  const suite = signInSuite({ READ_RATE_LIMIT: '1000' });
  const coverage = new Coverage();
  beforeAll(() => coverage.start());
  afterAll(() => coverage.stop());

  it('run on each request that needs them', async () => {
    const options = bearer(await suite.world.token());
    await coverage.idle();
    for (let call = 0; call < CALLS; call += 1) {
      const since = `${LIST}?since=2026-01-01T00:00:${String(call).padStart(2, '0')}Z`;
      expect((await suite.app.call(since, options)).status).toBe(200);
      expect(await coverage.idle()).toEqual([]);
    }
  });

  it('leave a session to the session guard', async () => {
    await coverage.idle();
    expect((await suite.app.call(LIST, cookie(suite.world.cookie))).status).toBe(200);
    expect(await coverage.idle()).toEqual(['passport-jwt authenticates', 'passport-jwt verifies']);
  });
});

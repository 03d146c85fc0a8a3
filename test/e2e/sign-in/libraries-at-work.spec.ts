import { Session, type Profiler } from 'node:inspector';
import { bearer, cookie, LIST } from '../../setup/http-call.js';
import { signInSuite } from './world.js';

const CALLS = 50;

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
    const runs = await this.runs();
    return Object.keys(AT_WORK).filter((what) => runs(what) === 0);
  }

  /** How often a function has run since it was asked last. */
  async runs(): Promise<(what: string) => number> {
    const { result } = await this.#post<Profiler.TakePreciseCoverageReturnType>(
      'Profiler.takePreciseCoverage',
    );
    return (what) => {
      const [file, name] = AT_WORK[what]!;
      return result
        .filter(({ url }) => file.test(url))
        .flatMap(({ functions }) => functions)
        .filter(({ functionName }) => functionName === name)
        .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
    };
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

  it.each(['list', 'get', 'poll'])(
    'lend a connection to each look-up and read of a %s',
    async (call) => {
      const { world, app } = suite;
      const paths = { list: LIST, get: world.getPath, poll: `${LIST}?since=2026-01-01T00:00:00Z` };
      await coverage.idle();
      for (let time = 0; time < CALLS; time += 1) {
        const path = paths[call as keyof typeof paths];
        expect((await app.call(path, cookie(world.cookie))).status).toBe(200);
      }
      const runs = await coverage.runs();
      // The session is looked up, and a poll has a probe before its page.
      expect(runs('TypeORM lends the connection')).toBe(CALLS * (call === 'poll' ? 3 : 2));
    },
  );

  it('leave a session to the session guard', async () => {
    await coverage.idle();
    expect((await suite.app.call(LIST, cookie(suite.world.cookie))).status).toBe(200);
    expect(await coverage.idle()).toEqual(['passport-jwt authenticates', 'passport-jwt verifies']);
  });
});

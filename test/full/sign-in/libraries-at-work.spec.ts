import { Session } from 'node:inspector/promises';
import { bearer, cookie, LIST } from '../../setup/http-call.js';
import { signInSuite } from '../../api/sign-in/world.js';

/** The library functions that must run on a request, by file and name. */
const EXPECTED_FUNCTIONS: Readonly<Record<string, readonly [file: RegExp, name: string]>> = {
  'passport-jwt authenticates': [/passport-jwt\/lib\/strategy\.js$/, 'JwtStrategy.authenticate'],
  'passport-jwt verifies': [/passport-jwt\/lib\/verify_jwt\.js$/, 'module.exports'],
  'the throttler guards': [/throttler\/dist\/throttler\.guard\.js$/, 'canActivate'],
  'the throttler resolves the limit': [/throttler\/dist\/throttler\.guard\.js$/, 'resolveValue'],
  'TypeORM lends the connection': [/PostgresDriver\.js$/, 'obtainMasterConnection'],
  'class-transformer makes the DTO': [/class-transformer\/.*\/index\.js$/, 'plainToInstance'],
  'class-validator checks the DTO': [/class-validator\/.*\/Validator\.js$/, 'validate'],
};

describe('the libraries of the request pipeline', () => {
  const suite = signInSuite({ READ_RATE_LIMIT: '1000' });
  /** V8 counts the calls. */
  const inspector = new Session();
  beforeAll(async () => {
    inspector.connect();
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  });
  afterAll(() => inspector.disconnect());

  /** Returns the functions that have not run since the last call. */
  async function functionsNotRun(): Promise<string[]> {
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const hasRun = ([file, name]: readonly [RegExp, string]): boolean =>
      result
        .filter(({ url }) => file.test(url))
        .flatMap(({ functions }) => functions)
        .some(({ functionName, ranges }) => functionName === name && ranges[0]?.count !== 0);
    return Object.entries(EXPECTED_FUNCTIONS)
      .filter(([, where]) => !hasRun(where))
      .map(([what]) => what);
  }

  it('run on each request that needs them', async () => {
    const options = bearer(await suite.world.token());
    await functionsNotRun();
    for (const second of ['01', '02', '03']) {
      const since = `${LIST}?since=2026-01-01T00:00:${second}Z`;
      expect((await suite.app.call(since, options)).status).toBe(200);
      expect(await functionsNotRun()).toEqual([]);
    }
  });

  it('leave a session to the session guard', async () => {
    await functionsNotRun();
    expect((await suite.app.call(LIST, cookie(suite.world.cookie))).status).toBe(200);
    expect(await functionsNotRun()).toEqual([
      'passport-jwt authenticates',
      'passport-jwt verifies',
    ]);
  });
});

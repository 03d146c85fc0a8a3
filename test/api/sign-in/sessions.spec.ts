import { createHash, randomUUID } from 'node:crypto';
import { grant, insert, type session, signIn } from '../../builders/index.js';
import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import { signInSuite } from './sign-in-suite.js';

const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();

describe("the buyer's own session", () => {
  const suite = signInSuite();

  /** Stores a session of the buyer with these properties, and returns the value of its cookie. */
  async function storeSession(
    values: Partial<Parameters<typeof session>[0]> = {},
  ): Promise<string> {
    const { record, cookie: value } = signIn(suite.world.buyer.id, values);
    await insert(suite.world.database, [record]);
    return value;
  }

  const statusOf = async (options: CallOptions): Promise<number> =>
    (await suite.app.call(LIST, options)).status;

  async function expectRejected(options: CallOptions): Promise<void> {
    for (const path of [LIST, suite.world.buyer.getPath]) {
      const response = await suite.app.call(path, options);
      expect([response.status, response.code]).toEqual([401, 'unauthenticated']);
      expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
  }

  it('is found among other cookies', async () => {
    const headers = { cookie: `a=1; __Host-session=${suite.world.buyer.session.cookie}; b="2"` };
    expect(await statusOf({ headers })).toBe(200);
  });

  /** Values that a caller presents in place of the cookie, derived from its value. */
  const REJECTED: readonly (readonly [what: string, present: (value: string) => CallOptions])[] = [
    ['is unknown', () => cookie('x'.repeat(43))],
    ['is the stored hash itself', (value) => cookie(sha256(value).toString('hex'))],
    ['is quoted', (value) => cookie(`"${value}"`)],
    ['is SQL', () => cookie("' OR token_sha256 IS NOT NULL --")],
    ['is sent twice', (value) => cookie(`${value}; __Host-session=${value}`)],
    ['has another name', (value) => cookie(value, 'session')],
    ['is presented as a bearer token', (value) => bearer(value)],
  ];
  it.each(REJECTED)('is rejected when it %s', (_what, present) =>
    expectRejected(present(suite.world.buyer.session.cookie)),
  );

  it.each(['expiresAt', 'revokedAt'])('is rejected when its %s has passed', async (name) => {
    await expectRejected(cookie(await storeSession({ [name]: '2026-01-01T00:00:00Z' })));
  });

  it('is rejected on the very next request after it was revoked', async () => {
    const value = await storeSession();
    expect(await statusOf(cookie(value))).toBe(200);
    await suite.world.database.query(
      'UPDATE deal_sets.buyer_session SET revoked_at = now() WHERE token_sha256 = $1',
      [sha256(value)],
    );
    await expectRejected(cookie(value));
  });

  it('is rejected when two stored sessions have one value', async () => {
    const value = randomUUID();
    // No import creates such a pair, but the schema does not rule it out.
    await suite.world.database.query(
      `INSERT INTO deal_sets.buyer_session (buyer_id, id, token_sha256, expires_at)
       SELECT $1, gen_random_uuid(), $2, 'tomorrow' FROM generate_series(1, 2)`,
      [suite.world.buyer.id, sha256(value)],
    );
    await expectRejected(cookie(value));
  });

  it('is read under the configured name', async () => {
    const renamed = await suite.world.start({ env: { SESSION_COOKIE: 'sid' } });
    expect((await renamed.call(LIST, cookie(suite.world.buyer.session.cookie, 'sid'))).status).toBe(
      200,
    );
    expect((await renamed.call(LIST, cookie(suite.world.buyer.session.cookie))).status).toBe(401);
    await renamed.stop();
  });

  it("is not affected by a grant's scopes", async () => {
    const { database, buyer } = suite.world;
    await insert(database, [grant({ buyerId: buyer.id, clientId: 'narrow', scopes: [] })]);
    expect(await statusOf(cookie(suite.world.buyer.session.cookie))).toBe(200);
  });
});

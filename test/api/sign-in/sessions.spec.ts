import { createHash, randomUUID } from 'node:crypto';
import { grant, load, type session, signIn } from '../../builders/index.js';
import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import { signInSuite } from './world.js';

describe("the buyer's own session", () => {
  const suite = signInSuite();

  /** A session of the buyer with these properties; its cookie's value. */
  async function made(given: Partial<Parameters<typeof session>[0]> = {}): Promise<string> {
    const { record, cookie: value } = signIn(suite.world.buyerId, given);
    await load(suite.world.database, [record]);
    return value;
  }

  async function expectRefused(options: CallOptions): Promise<void> {
    for (const path of [LIST, suite.world.getPath]) {
      const answer = await suite.app.call(path, options);
      expect([answer.status, answer.code]).toEqual([401, 'unauthenticated']);
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
  }

  it('is found among other cookies', async () => {
    const options = { headers: { cookie: `a=1; __Host-session=${suite.world.cookie}; b="2"` } };
    expect((await suite.app.call(LIST, options)).status).toBe(200);
  });

  it('is refused when unknown', () => expectRefused(cookie('x'.repeat(43))));

  it.each(['expiresAt', 'revokedAt'])('is refused when its %s has passed', async (name) => {
    await expectRefused(cookie(await made({ [name]: '2026-01-01T00:00:00Z' })));
  });

  it('is refused on the very next request after it was revoked', async () => {
    const value = await made();
    expect((await suite.app.call(LIST, cookie(value))).status).toBe(200);
    await suite.world.database.query(
      'UPDATE buyer_session SET revoked_at = now() WHERE token_sha256 = $1',
      [createHash('sha256').update(value).digest()],
    );
    await expectRefused(cookie(value));
  });

  it('is refused when the stored hash itself is the value', async () => {
    const hash = createHash('sha256').update(suite.world.cookie).digest();
    await expectRefused(cookie(hash.toString('hex')));
    await expectRefused(cookie(hash.toString('base64url')));
  });

  it('is refused when the cookie is sent twice', async () => {
    const twice = `__Host-session=${suite.world.cookie}; __Host-session=${suite.world.cookie}`;
    await expectRefused({ headers: { cookie: twice } });
    const other = await made();
    await expectRefused({
      headers: { cookie: `__Host-session=${suite.world.cookie}; __Host-session=${other}` },
    });
  });

  it('is refused under another name', async () => {
    await expectRefused(cookie(suite.world.cookie, '__host-session'));
    await expectRefused(cookie(suite.world.cookie, 'session'));
  });

  it.each([
    ['quoted', `"${'a'.repeat(43)}"`],
    ['SQL', "' OR token_sha256 IS NOT NULL --"],
  ])('is refused with a value that is %s', (_what, value) => expectRefused(cookie(value)));

  it('is refused when two stored sessions have one value', async () => {
    const value = randomUUID();
    // No import makes such a pair, but the schema does not rule it out.
    await suite.world.database.query(
      `INSERT INTO buyer_session (buyer_id, id, token_sha256, expires_at)
       SELECT $1, gen_random_uuid(), $2, 'tomorrow' FROM generate_series(1, 2)`,
      [suite.world.buyerId, createHash('sha256').update(value).digest()],
    );
    await expectRefused(cookie(value));
  });

  it('is refused when the session is presented as a bearer token', () =>
    expectRefused(bearer(suite.world.cookie)));

  it('does not help beside any Authorization header that is not good', async () => {
    for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer bad', 'Token abc']) {
      await expectRefused({
        headers: { authorization, cookie: `__Host-session=${suite.world.cookie}` },
      });
    }
  });

  it('is read under the configured name', async () => {
    const renamed = await suite.world.start({ SESSION_COOKIE: 'sid' });
    expect((await renamed.call(LIST, cookie(suite.world.cookie, 'sid'))).status).toBe(200);
    expect((await renamed.call(LIST, cookie(suite.world.cookie))).status).toBe(401);
    await renamed.stop();
  });

  it("does not let a grant's scopes concern the session", async () => {
    await load(suite.world.database, [
      grant({ buyerId: suite.world.buyerId, clientId: 'narrow', scopes: [] }),
    ]);
    expect((await suite.app.call(LIST, cookie(suite.world.cookie))).status).toBe(200);
  });
});

import { buyer, grant, insert } from '../../builders/index.js';
import { bearer, LIST } from '../../setup/http-call.js';
import { runInProcess } from '../../setup/run-command.js';
import { CLIENT, signInSuite } from './sign-in-suite.js';

const AHEAD = '2999-01-01T00:00:00Z';

describe("a buyer's approval", () => {
  const suite = signInSuite();
  let buyerId: string;

  beforeEach(async () => {
    const anna = buyer();
    buyerId = anna.id;
    await insert(suite.world.database, [anna]);
  });

  /** Issues a token of the assistant that was issued so many seconds ago. */
  const tokenOfAge = (seconds: number): Promise<string> =>
    suite.world.issuer.token(buyerId, {
      claims: { iat: Math.floor(Date.now() / 1000) - seconds },
    });

  /** Calls the service, and returns the status and the reason that the log has for a rejection. */
  async function outcomeOf(token: string): Promise<readonly [number, string | undefined]> {
    const { status, text, headers } = await suite.app.call(LIST, bearer(token));
    if (status === 200) return [200, undefined];
    // The response is the same for every reason.
    expect(text).toBe((await suite.app.call(LIST, bearer('unknown'))).text);
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    const id = String(headers['service-request-id']);
    const line = suite.app.logLines.find((logged) => logged.includes(id) && logged.includes('401'));
    return [status, (JSON.parse(line!) as { reason?: string }).reason];
  }

  async function run(command: string, ...more: string[]): Promise<void> {
    const args = [command, '--buyer', buyerId, '--client', CLIENT, ...more];
    expect(await runInProcess(args, { env: suite.world.env })).toMatchObject({ exitCode: 0 });
  }
  const approve = (...more: string[]): Promise<void> => run('approve', ...more);

  /** The buyer's grants in the order of their approval. */
  const grants = () =>
    suite.world.database.query<{ scopes: string[]; granted: string; revoked: string | null }>(
      `SELECT scopes, granted_at::text AS granted, expires_at::text AS expires, revoked_at::text AS revoked
       FROM deal_sets.assistant_grant WHERE buyer_id = $1 ORDER BY revoked_at NULLS LAST`,
      [buyerId],
    );
  const move = (column: string, to: string) =>
    suite.world.database.query(
      `UPDATE deal_sets.assistant_grant SET ${column} = ${to} WHERE buyer_id = $1 AND revoked_at IS NULL`,
      [buyerId],
    );

  it('does not make a token valid again that was issued before a revocation', async () => {
    await insert(suite.world.database, [grant({ buyerId })]);
    const old = await tokenOfAge(60);
    expect(await outcomeOf(old)).toEqual([200, undefined]);
    await run('revoke');
    expect(await outcomeOf(old)).toEqual([401, 'no_grant']);
    await approve();
    expect(await outcomeOf(old)).toEqual([401, 'older_than_grant']);
    expect(await outcomeOf(await tokenOfAge(0))).toEqual([200, undefined]);
  });

  it('accepts a token of an issuer whose clock is up to 30 s behind', async () => {
    await approve();
    expect(await outcomeOf(await tokenOfAge(20))).toEqual([200, undefined]);
    expect(await outcomeOf(await tokenOfAge(40))).toEqual([401, 'older_than_grant']);
  });

  it('keeps existing tokens valid when its scopes change', async () => {
    await insert(suite.world.database, [grant({ buyerId })]);
    const old = await tokenOfAge(60);
    await approve('--scope', 'offers:read notes:read', '--expires', '90d');
    await approve('--scope', 'offers:read');
    expect(await outcomeOf(old)).toEqual([200, undefined]);
    const stored = await grants();
    expect(stored.map(({ scopes, revoked }) => [scopes, revoked === null])).toEqual([
      [['offers:read'], false],
      [['offers:read', 'notes:read'], false],
      [['offers:read'], true],
    ]);
    expect(new Set(stored.map(({ granted }) => granted)).size).toBe(1);
  });

  it('ends at its expiry, and a new one does not make older tokens valid again', async () => {
    await insert(suite.world.database, [grant({ buyerId, expiresAt: AHEAD })]);
    const old = await tokenOfAge(60);
    expect(await outcomeOf(old)).toEqual([200, undefined]);
    await move('expires_at', `now() - interval '1 second'`);
    expect(await outcomeOf(old)).toEqual([401, 'grant_expired']);
    expect(await outcomeOf(await tokenOfAge(0))).toEqual([401, 'grant_expired']);
    await approve();
    expect(await outcomeOf(old)).toEqual([401, 'older_than_grant']);
    expect(await outcomeOf(await tokenOfAge(0))).toEqual([200, undefined]);
    expect(await grants()).toMatchObject([
      { revoked: expect.any(String) as string },
      { expires: null, revoked: null },
    ]);
    const closed = await suite.world.database.query(
      'SELECT FROM deal_sets.assistant_grant WHERE buyer_id = $1 AND revoked_at = expires_at',
      [buyerId],
    );
    expect(closed).toHaveLength(1);
  });

  it('keeps the time of an imported approval, so that existing tokens are valid', async () => {
    await insert(suite.world.database, [grant({ buyerId, grantedAt: '2026-03-01T00:00:00Z' })]);
    expect(await outcomeOf(await tokenOfAge(60))).toEqual([200, undefined]);
    const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
    const renewed = grant({ buyerId, clientId: 'renewed', grantedAt: ago(10) });
    await insert(suite.world.database, [renewed]);
    const issuedBefore = await suite.world.issuer.token(buyerId, {
      clientId: 'renewed',
      claims: { iat: Math.floor(Date.now() / 1000) - 60 },
    });
    expect(await outcomeOf(issuedBefore)).toEqual([401, 'older_than_grant']);
  });
});

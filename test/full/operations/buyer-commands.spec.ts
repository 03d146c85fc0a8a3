import { createHash } from 'node:crypto';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { DevelopmentIssuer } from '../../../src/auth/issuer/development-issuer.js';
import { writerDataSource } from '../../../src/database/data-source.js';
import { approvalsOf, approve, revokeApproval } from '../../../src/operations/approvals.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  reply,
  signIn,
} from '../../builders/index.js';
import { runCommand } from '../../setup/run-command.js';
import { AUDIT_LINE, commandSuite, UNKNOWN } from '../../api/operations/command-suite.js';

describe('the command', () => {
  const suite = commandSuite();
  const { run, noteOf, expectFailure } = suite;

  describe('session', () => {
    it('prints a cookie header line whose value is stored as a hash alone', async () => {
      const anna = buyer();
      await load(suite.database, [anna]);
      const { exitCode, stdout, stderr } = await run(
        ['session', '--buyer', anna.id.toUpperCase(), '--ttl', '60'],
        { SESSION_COOKIE: 'sid' },
      );
      expect([exitCode, stderr.replace(AUDIT_LINE, '')]).toEqual([0, '']);
      const value = /^Cookie: sid=([A-Za-z0-9_-]{43})\n$/.exec(stdout)?.[1];
      const [row] = await suite.database.query<{ sha: string; seconds: number }>(
        `SELECT encode(token_sha256, 'hex') AS sha,
         extract(epoch FROM expires_at - clock_timestamp())::float AS seconds
       FROM deal_sets.buyer_session WHERE buyer_id = $1`,
        [anna.id],
      );
      expect(row!.sha).toBe(createHash('sha256').update(value!).digest('hex'));
      expect(row!.seconds).toBeGreaterThan(0);
      expect(row!.seconds).toBeLessThanOrEqual(60);
    });
  });

  describe('token', () => {
    it('refuses where no service with the development issuer has run', async () => {
      await expectFailure(
        ['token', '--buyer', UNKNOWN, '--client', 'helper'],
        /^No service with the development issuer has run in this directory/,
      );
      DevelopmentIssuer.open(path.join(suite.cwd, '.data'));
    });

    it('prints a token, and warns when the assistant has no grant', async () => {
      const anna = buyer();
      await load(suite.database, [anna, grant({ buyerId: anna.id, clientId: 'helper' })]);
      const good = await run(['token', '--buyer', anna.id, '--client', 'helper', '--ttl', '90']);
      expect(good).toMatchObject({ exitCode: 0, stderr: '' });
      const claims = decodeJwt(good.stdout.trim());
      expect(claims).toMatchObject({ sub: anna.id, client_id: 'helper', scope: 'offers:read' });
      expect(claims.exp! - claims.iat!).toBe(90);
      const ofStranger = ['token', '--buyer', anna.id, '--client', 'stranger', '--scope', 'a b'];
      const other = await run(ofStranger);
      expect(other.exitCode).toBe(0);
      expect(other.stderr).toMatch(/no live grant for stranger/);
      expect(decodeJwt(other.stdout.trim())['scope']).toBe('a b');
    });
  });

  describe('revoke', () => {
    it("ends an assistant's grant, or every session, of that buyer alone", async () => {
      const [anna, ben] = [buyer(), buyer()];
      const grants = [anna, ben].map(({ id }) => grant({ buyerId: id, clientId: 'helper' }));
      const sessions = [anna, anna, ben].map(({ id }) => signIn(id).record);
      const other = grant({ buyerId: anna.id, clientId: 'other' });
      await load(suite.database, [anna, ben, ...grants, ...sessions, other]);
      expect(await noteOf(['revoke', '--buyer', anna.id, '--client', 'helper'])).toBe(
        `Revoked the grant of helper for buyer ${anna.id}.\n`,
      );
      expect(await noteOf(['revoke', '--buyer', anna.id, '--sessions'])).toBe(
        `Revoked every session of buyer ${anna.id}: 2.\n`,
      );
      const live = await suite.database.query(
        `SELECT b.id,
         (SELECT count(*)::integer FROM deal_sets.assistant_grant g WHERE g.buyer_id = b.id AND revoked_at IS NULL) AS grants,
         (SELECT count(*)::integer FROM deal_sets.buyer_session s WHERE s.buyer_id = b.id AND revoked_at IS NULL) AS sessions
       FROM deal_sets.buyer b WHERE b.id = ANY ($1) ORDER BY b.id = $2`,
        [[anna.id, ben.id], ben.id],
      );
      expect(live).toEqual([
        { id: anna.id, grants: 1, sessions: 0 },
        { id: ben.id, grants: 1, sessions: 1 },
      ]);
    });

    it('ends a session that has expired, so that no import prolongs it', async () => {
      const anna = buyer();
      const { record } = signIn(anna.id, { expiresAt: '2026-06-01T00:00:00Z' });
      await load(suite.database, [anna, record]);
      await noteOf(['revoke', '--buyer', anna.id, '--sessions']);
      const prolonged = { ...record, expiresAt: '2999-01-01T00:00:00Z' };
      expect(await load(suite.database, [anna, prolonged])).toMatchObject({ stillRevoked: 1 });
    });

    it('succeeds with a note when there is nothing to revoke', async () => {
      expect(await noteOf(['revoke', '--buyer', UNKNOWN, '--client', 'helper'])).toBe(
        `Nothing to revoke: buyer ${UNKNOWN} has no live grant for helper.\n`,
      );
      expect(await noteOf(['revoke', '--buyer', UNKNOWN, '--sessions'])).toBe(
        `Nothing to revoke: buyer ${UNKNOWN} has no live session.\n`,
      );
    });
  });

  describe('approve', () => {
    it('records an approval in place of an earlier one, and the command approvals lists both', async () => {
      const anna = buyer();
      await load(suite.database, [anna]);
      const ofAnna = ['--buyer', anna.id];
      const approve = ['approve', ...ofAnna, '--client', 'helper'];
      expect(await noteOf(['approvals', ...ofAnna])).toMatch(/has approved no assistant/);
      expect(await noteOf(approve)).toBe(
        `Approved helper for buyer ${anna.id}, with the scopes: offers:read.\n`,
      );
      await noteOf([...approve, '--scope', 'offers:read notes:read', '--hosted']);

      const json = await run(['approvals', ...ofAnna, '--json']);
      const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
      const helper = { id: expect.any(String) as string, clientId: 'helper', grantedAt: time };
      const forever = { ...helper, expiresAt: null };
      expect(JSON.parse(json.stdout)).toEqual([
        { ...forever, scopes: ['offers:read', 'notes:read'], hosted: true, revokedAt: null },
        { ...forever, scopes: ['offers:read'], hosted: false, revokedAt: time },
      ]);
      expect((await run(['approvals', ...ofAnna])).stdout.split('\n')).toEqual([
        expect.stringMatching(/^helper: active, .*scopes: offers:read notes:read, hosted$/),
        expect.stringMatching(/^helper: revoked .*scopes: offers:read$/),
        '',
      ]);
    });

    it('records when the approval ends, and the commands tell whether it has', async () => {
      const anna = buyer();
      await load(suite.database, [
        anna,
        grant({ buyerId: anna.id, clientId: 'over', expiresAt: '2026-02-01T00:00:00Z' }),
        grant({
          buyerId: anna.id,
          clientId: 'gone',
          grantedAt: '2026-11-01T00:00:00Z',
          revokedAt: '2026-11-02T00:00:00Z',
        }),
      ]);
      const ofAnna = ['--buyer', anna.id];
      const hoursLeft = async (client: string): Promise<number> => {
        const [row] = await suite.database.query<{ hours: number }>(
          `SELECT round(extract(epoch FROM expires_at - granted_at) / 3600)::integer AS hours
           FROM deal_sets.assistant_grant WHERE buyer_id = $1 AND client_id = $2 AND revoked_at IS NULL`,
          [anna.id, client],
        );
        return row!.hours;
      };
      for (const [expires, hours] of [
        ['90d', 2160],
        ['12h', 12],
      ] as const) {
        const client = `for-${expires}`;
        const note = await noteOf(['approve', ...ofAnna, '--client', client, '--expires', expires]);
        expect(note).toMatch(/^Approved for-\w+ for buyer \S+, until 20\d\d-\S+Z, with the scopes/);
        expect(await hoursLeft(client)).toBe(hours);
      }
      const until = '2998-01-01T02:00:00+02:00';
      await noteOf(['approve', ...ofAnna, '--client', 'helper', '--expires', until]);
      const lines = (await run(['approvals', ...ofAnna])).stdout.split('\n');
      expect(lines).toEqual([
        expect.stringMatching(/^helper: active until 2998-01-01T00:00:00.000Z, approved /),
        expect.stringMatching(/^for-12h: active until /),
        expect.stringMatching(/^for-90d: active until /),
        expect.stringMatching(/^gone: revoked 2026-11-02T00:00:00.000Z, approved /),
        expect.stringMatching(/^over: expired 2026-02-01T00:00:00.000Z, approved /),
        '',
      ]);
      const token = await run(['token', ...ofAnna, '--client', 'over']);
      expect(token.stderr).toMatch(/no live grant for over/);
    });

    it.each(['', '90', '90 d', '0d', '-1d', '1w', '100000d', '2026-01-01', '2026-01-01T00:00:00Z'])(
      'rejects the end %j',
      async (expires) => {
        const args = ['approve', '--buyer', UNKNOWN, '--client', 'helper', `--expires=${expires}`];
        const { exitCode, stderr } = await run(args);
        expect(exitCode).not.toBe(0);
        expect(stderr).toMatch(
          /^error: option '--expires <when>' argument .* is invalid\. It must be /,
        );
      },
    );

    it('replaces another approval that is recorded at the same time', async () => {
      const anna = buyer();
      await load(suite.database, [anna]);
      const approval = { buyerId: anna.id, clientId: 'helper', scopes: ['a'], isHosted: false };
      const dataSource = await writerDataSource({ url: suite.database.url }).initialize();
      try {
        await Promise.all([1, 2, 3, 4].map(() => approve(dataSource.manager, approval)));
        const approvals = await approvalsOf(dataSource.manager, anna.id);
        expect(approvals).toHaveLength(4);
        expect(approvals.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
        expect(await revokeApproval(dataSource.manager, approval)).toBe(true);
        expect(await revokeApproval(dataSource.manager, approval)).toBe(false);
      } finally {
        await dataSource.destroy();
      }
    });
  });

  describe('erase', () => {
    it('records an unknown id as erased', async () => {
      const anna = buyer();
      expect(await noteOf(['erase', '--yes', '--buyer', anna.id])).toMatch(/^Nothing was stored/);
      await load(suite.database, [anna]);
      expect(
        await suite.database.query('SELECT FROM deal_sets.buyer WHERE id = $1', [anna.id]),
      ).toEqual([]);
    });

    it('removes everything of one buyer and nothing of another', async () => {
      const shop = dealership();
      const [anna, ben] = [buyer(), buyer()];
      const recordsOf = ({ id }: { id: string }): object[] => {
        const set = dealSet({ buyerId: id });
        const row = priceCheck({ buyerId: id, dealershipId: shop.id, dealSetId: set.id });
        const single = priceCheck({ buyerId: id, dealershipId: shop.id });
        const threads = [row, single].flatMap(({ id: priceCheckId }) =>
          [question, draft, reply].map((build) => build({ priceCheckId })),
        );
        return [set, row, single, ...threads, signIn(id).record, grant({ buyerId: id })];
      };
      await load(suite.database, [shop, anna, ben, ...recordsOf(anna), ...recordsOf(ben)]);
      const tables =
        'deal_set price_check question draft reply request_feed buyer_session assistant_grant';
      const stored = async (): Promise<number[]> => {
        const counts = [0, 0];
        for (const table of tables.split(' ')) {
          for (const [index, { id }] of [anna, ben].entries()) {
            counts[index]! += (
              await suite.database.query(`SELECT FROM deal_sets.${table} WHERE buyer_id = $1`, [id])
            ).length;
          }
        }
        return counts;
      };
      expect(await stored()).toEqual([13, 13]);
      // Standard input is not a terminal there.
      const rejection = await runCommand(['erase', '--buyer', anna.id], {
        env: { DATABASE_URL: suite.database.url },
      });
      expect(rejection).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'No terminal to confirm on: pass --yes.\n',
      });
      expect(await stored()).toEqual([13, 13]);
      expect(await noteOf(['erase', '--buyer', anna.id, '--yes'])).toBe(
        `Erased buyer ${anna.id}: deal sets 1, price checks with their threads 2, sessions 1, grants 1.\n`,
      );
      expect(await stored()).toEqual([0, 13]);
    });
  });

  describe('prune', () => {
    it('deletes sessions that expired long ago, and no approval', async () => {
      const anna = buyer();
      const day = 86_400_000;
      const expiredAt = (days: number): object => ({
        ...signIn(anna.id).record,
        expiresAt: new Date(Date.now() - days * day).toISOString(),
      });
      await load(suite.database, [
        anna,
        ...Array.from({ length: 1_001 }, () => expiredAt(31)),
        expiredAt(29),
        { ...expiredAt(-1), revokedAt: '2026-01-02T00:00:00Z' },
        grant({ buyerId: anna.id, revokedAt: '2020-01-02T00:00:00Z' }),
      ]);
      const rowsOf = async (table: string): Promise<number> =>
        (
          await suite.database.query(`SELECT FROM deal_sets.${table} WHERE buyer_id = $1`, [
            anna.id,
          ])
        ).length;
      // Other tests left expired sessions.
      await suite.database.query('DELETE FROM deal_sets.buyer_session WHERE buyer_id <> $1', [
        anna.id,
      ]);
      expect(await noteOf(['prune'])).toBe(
        'Deleted 1,001 sessions that expired more than 30 days ago.\n',
      );
      expect([await rowsOf('buyer_session'), await rowsOf('assistant_grant')]).toEqual([2, 1]);
      expect(await noteOf(['prune', '--days', '0'])).toBe(
        'Deleted 1 session that expired more than 0 days ago.\n',
      );
      expect([await rowsOf('buyer_session'), await rowsOf('assistant_grant')]).toEqual([1, 1]);
      await expectFailure(['prune', '--days', 'x'], /whole number from 0 to 99999/);
    });
  });
});

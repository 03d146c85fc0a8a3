import { Client } from 'pg';
import {
  buyer,
  buyerWithRequests,
  dealSet,
  grant,
  insert,
  load,
  reply,
  session,
} from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { commandSuite } from './command-suite.js';

/** What other writers commit between the checks of an import and its commit. */
describe('an import', () => {
  const suite = commandSuite();

  /**
   * Imports a file that changes a stored buyer, and runs `meanwhile` after the checks of the file,
   * while the import waits for the buyer's row.
   */
  async function importBeside(
    id: string,
    file: readonly object[],
    meanwhile: () => Promise<unknown>,
  ): Promise<{ readonly missedByPolls?: number }> {
    const writer = new Client({ connectionString: suite.database.url });
    await writer.connect();
    try {
      await writer.query('BEGIN');
      await writer.query('SELECT FROM deal_sets.buyer WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const importing = load(
        suite.database,
        [{ ...buyer({ id }), changesGranted: true }, ...file],
        {
          isBackfill: true,
        },
      );
      await untilLockWaits(suite.database);
      await meanwhile();
      await writer.query('COMMIT');
      return await importing;
    } finally {
      await writer.end();
    }
  }

  const stored = async (sql: string, id: string): Promise<unknown> =>
    (await suite.database.query(sql, [id]))[0];

  it('gives no time of the file to a request, or its replies, that another writer adds meanwhile', async () => {
    const { anna, shop, set, row } = buyerWithRequests();
    const answer = reply({ priceCheckId: row.id });
    const times = `SELECT f.feed_at::text AS request,
      (SELECT max(feed_at)::text FROM deal_sets.reply r WHERE r.request_id = f.request_id) AS reply
      FROM deal_sets.request_feed f WHERE f.request_id = $1`;
    await insert(suite.database, [anna, shop]);
    let published: unknown;
    const { missedByPolls } = await importBeside(anna.id, [set, row, answer], async () => {
      await insert(suite.database, [set, row, answer]);
      published = await stored(times, set.id);
    });
    expect(await stored(times, set.id)).toEqual(published);
    expect(missedByPolls).toBe(0);
  });

  it('keeps a session and an approval revoked that end meanwhile', async () => {
    const anna = buyer();
    const people = [session({ buyerId: anna.id }), grant({ buyerId: anna.id, clientId: 'helper' })];
    await load(suite.database, [anna, ...people]);
    const later = people.map((record) => ({ ...record, expiresAt: '2999-01-01T00:00:00Z' }));
    await importBeside(anna.id, later, async () => {
      await suite.noteOf(['revoke', '--buyer', anna.id, '--sessions']);
      await suite.noteOf(['revoke', '--buyer', anna.id, '--client', 'helper']);
    });
    for (const table of ['buyer_session', 'assistant_grant']) {
      const revoked = `SELECT revoked_at IS NOT NULL AS "isRevoked" FROM deal_sets.${table} WHERE buyer_id = $1`;
      expect(await stored(revoked, anna.id)).toEqual({ isRevoked: true });
    }
  });

  it('lets an approval that it has changed be revoked before its commit', async () => {
    const anna = buyer();
    const set = dealSet({ buyerId: anna.id });
    const helper = grant({ buyerId: anna.id, clientId: 'helper' });
    await load(suite.database, [anna, set, helper]);
    const writer = new Client({ connectionString: suite.database.url });
    await writer.connect();
    try {
      await writer.query('BEGIN');
      await writer.query('SELECT FROM deal_sets.deal_set WHERE id = $1 FOR UPDATE', [set.id]);
      const importing = load(suite.database, [
        { ...helper, expiresAt: '2999-01-01T00:00:00Z' },
        { ...set, endedAt: '2026-06-01T00:00:00Z' },
      ]);
      await untilLockWaits(suite.database);
      const revoking = suite.noteOf(['revoke', '--buyer', anna.id, '--client', 'helper']);
      await untilLockWaits(suite.database, 2);
      await writer.query('COMMIT');
      expect(await importing).toMatchObject({ added: 0, changed: 2 });
      expect(await revoking).toBe(`Revoked the grant of helper for buyer ${anna.id}.\n`);
    } finally {
      await writer.end();
    }
  });

  it('restores no buyer who is erased meanwhile', async () => {
    const anna = buyer();
    await load(suite.database, [anna]);
    let erasing: Promise<string> | undefined;
    await importBeside(anna.id, [dealSet({ buyerId: anna.id })], async () => {
      erasing = suite.noteOf(['erase', '--yes', '--buyer', anna.id]);
      await untilLockWaits(suite.database, 2);
    });
    expect(await erasing).toMatch(/^Waiting for an import into this database to finish\.\nErased/);
    expect(await stored('SELECT id FROM deal_sets.buyer WHERE id = $1', anna.id)).toBeUndefined();
  });
});

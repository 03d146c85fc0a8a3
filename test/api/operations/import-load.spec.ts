import pg from 'pg';
import { demoWorld } from '../../../packages/demo/src/demo-world/demo-world.js';
import { generateWorld } from '../../../packages/demo/src/world/world-generator.js';
import { WORLD_DEFAULTS } from '../../../packages/demo/src/world/world-options.js';
import { exportFile } from '../../../src/operations/import/export-file.js';
import { importFile } from '../../../src/operations/import/import-file.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  ndjson,
  priceCheck,
  question,
  reply,
  session,
  written,
} from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { runInProcess } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { contents } from './contents.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A buyer with a deal set of one row, and a request to a single dealership. */
function buyerWithRequests() {
  const [anna, shop] = [buyer(), dealership({ name: 'Honda of Fremont' })];
  const keys = { buyerId: anna.id, dealershipId: shop.id };
  const set = dealSet({ buyerId: anna.id, latestActivityAt: '2026-03-01T00:00:00Z' });
  const row = priceCheck({
    ...keys,
    dealSetId: set.id,
    latestActivityAt: '2026-04-01T00:00:00Z',
  });
  const single = priceCheck({ ...keys, latestActivityAt: '2026-03-02T00:00:00.7Z' });
  return { anna, shop, keys, set, row, single, records: [anna, shop, set, row, single] };
}

describe('an import', () => {
  it('keeps every key of every kind of record, in any order of the file', async () => {
    const { anna, shop, keys } = buyerWithRequests();
    const set = dealSet({
      buyerId: anna.id,
      car: {
        year: 2025,
        make: 'Honda',
        model: 'CR-V',
        trim: 'EX',
        exteriorColor: 'Blue',
        interiorColor: 'Gray',
        drivetrain: 'AWD',
        powertrain: 'Hybrid',
      },
      buyerZip: '45202-1234',
      radiusMiles: 250.5,
      dealersFound: 14,
      endedAt: '2026-01-05T00:00:00Z',
    });
    const shown = {
      year: 2024,
      make: 'Honda',
      model: 'CR-V',
      exteriorColor: 'Red',
      mileage: 9_999_999,
      trim: "tab\tquote' \\N 日本🚗",
      listedAtCents: 9_007_199_254_740_991,
    };
    const check = priceCheck({
      ...keys,
      dealSetId: set.id,
      listing: shown,
      distanceMiles: 0.1,
      answer: 'different_car',
      price: { otdCents: 0, sellingPriceCents: 5, writtenAt: '2026-01-03T00:00:00Z' },
      finishedAt: '2026-01-03T00:00:00Z',
      ended: 'closed_with_price',
      endedAt: '2026-01-04T00:00:00Z',
      unlockedAt: '2026-01-05T00:00:00Z',
      chosenAt: '2026-01-06T00:00:00Z',
      archivedAt: '2026-01-07T00:00:00Z',
    });
    const at = '2026-01-06T00:00:00Z';
    const words = { promptId: 'p:1', otdCents: 3, text: 'a\r\nb' };
    const scopes = ['offers:read', 'a "b",{c}\\'];
    const contact = { phone: '1', email: 'a@b.example', website: 'https://b.example' };
    const records = [
      { ...anna, changesGranted: true },
      { ...shop, ...contact, verifiedPartner: false },
      session({ buyerId: anna.id, revokedAt: at }),
      grant({ buyerId: anna.id, scopes, hosted: true, revokedAt: at }),
      set,
      check,
      question({ priceCheckId: check.id, answeredAt: at, ...words }),
      draft({ priceCheckId: check.id, resolvedAt: at }),
      reply({ priceCheckId: check.id }),
    ];
    // Accepted, and not stored.
    const dropped = { vin: 'V', url: 'https://u', imageUrl: 'https://i' };
    const file = records
      .map((record) =>
        record === check ? { ...check, listing: { ...shown, ...dropped } } : record,
      )
      .reverse();
    expect(await load(database, file)).toMatchObject({ records: 9, added: 9, changed: 0 });
    let exported = '';
    for await (const chunk of exportFile(database.client, anna.id)) exported += chunk;
    const kept = exported
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    const asWritten = ndjson(records).replace(/(T[\d:]{8})Z/g, '$1.000Z');
    expect(kept.slice(0, -1)).toMatchObject(
      asWritten
        .trim()
        .split('\n')
        .map((line): object => JSON.parse(line) as object),
    );
    expect(exported).not.toMatch(/imageUrl|https:\/\/[ui]"/);
  });

  it('leaves every row untouched when the same file is loaded again, live and as a backfill', async () => {
    const world = [...generateWorld({ ...WORLD_DEFAULTS, buyers: 5, rows: 6, seed: 'again' })];
    await load(database, world, { isBackfill: true });
    const before = await contents(database);
    const nothing = { records: world.length, added: 0, changed: 0 };
    expect(await load(database, world)).toMatchObject(nothing);
    expect(await load(database, world, { isBackfill: true })).toMatchObject(nothing);
    expect(await contents(database)).toEqual(before);
  });

  it('keeps nothing of a dry run, which reports what the import would do', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const before = await contents(database);
    const records = [{ ...anna, changesGranted: true }, dealSet({ buyerId: anna.id })];
    const summary = await load(database, records, { isDryRun: true });
    expect(summary).toMatchObject({ records: 2, added: 1, changed: 1 });
    expect(await contents(database)).toEqual(before);
  });

  it('accepts a file that its closing record proves complete', async () => {
    const end = (records: number): string => `{"record":"end","records":${records}}\n`;
    const two = ndjson([buyer(), buyer()]);
    expect(await load(database, `${two}${end(2)}\n`)).toMatchObject({ records: 2 });
    expect(await load(database, end(0))).toMatchObject({ records: 0, added: 0 });
  });

  it('replaces a record whole: fields that the new one leaves out are gone', async () => {
    const { anna, shop, keys } = buyerWithRequests();
    const check = priceCheck({ ...keys, ...written(100) });
    await load(database, [{ ...anna, changesGranted: true }, { ...shop, phone: '1' }, check]);
    await load(database, [anna, shop, priceCheck({ ...keys, id: check.id, listing: {} })]);
    const [row] = await database.query(
      `SELECT p.otd_cents, p.answer, p.listing_make, p.shown_make, d.phone, b.changes_granted
       FROM price_check p JOIN dealership d ON d.id = p.dealership_id JOIN buyer b ON b.id = p.buyer_id
       WHERE p.id = $1`,
      [check.id],
    );
    const gone = { otd_cents: null, answer: null, listing_make: null, shown_make: null };
    expect(row).toEqual({ ...gone, phone: null, changes_granted: false });
  });

  it('uses the last of several records with one id', async () => {
    const anna = buyer();
    const first = dealSet({ buyerId: anna.id, dealersFound: 1 });
    const summary = await load(database, [first, anna, { ...first, dealersFound: 2 }]);
    expect(summary.records).toBe(3);
    const sets = await database.query('SELECT dealers_found FROM deal_set WHERE id = $1', [
      first.id,
    ]);
    expect(sets).toEqual([{ dealers_found: 2 }]);
  });

  it('lets grants of an assistant follow each other in one file, and swap', async () => {
    const anna = buyer();
    const grantOf = (clientId: string): { buyerId: string; clientId: string } => ({
      buyerId: anna.id,
      clientId,
    });
    const [old, other, newest] = [grant(grantOf('a')), grant(grantOf('b')), grant(grantOf('a'))];
    await load(database, [anna, old, other]);
    await load(database, [newest, { ...old, revokedAt: '2026-02-01T00:00:00Z' }]);
    await load(database, [
      { ...newest, ...grantOf('b') },
      { ...other, ...grantOf('a') },
    ]);
    const live = await database.query(
      'SELECT id, client_id FROM assistant_grant WHERE buyer_id = $1 AND revoked_at IS NULL ORDER BY 2',
      [anna.id],
    );
    expect(live).toEqual([
      { id: other.id, client_id: 'a' },
      { id: newest.id, client_id: 'b' },
    ]);
  });

  it('waits for another import, and then builds on its rows', async () => {
    const anna = buyer();
    const set = dealSet({ buyerId: anna.id });
    const files = [[anna], [anna, set], [anna]];
    const added = (await Promise.all(files.map((file) => load(database, file)))).map(
      (summary) => summary.added,
    );
    expect(added.reduce((sum, count) => sum + count)).toBe(2);
  });

  it('starts over when another writer has just added the same row', async () => {
    const anna = buyer();
    const rival = new pg.Client({ connectionString: database.url });
    await rival.connect();
    await rival.query('BEGIN');
    await rival.query('INSERT INTO buyer (id, changes_granted) VALUES ($1, true)', [anna.id]);
    const importing = load(database, [anna]);
    await eventually(async () => {
      const waiting = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
    await rival.query('COMMIT');
    await rival.end();
    expect(await importing).toMatchObject({ records: 1, added: 0, changed: 1 });
  });

  it('reads the rows of the database where the session has temporary tables with the same names', async () => {
    const { anna, records } = buyerWithRequests();
    await load(database, records);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      for (const table of ['buyer', 'dealership', 'deal_set', 'price_check']) {
        await client.query(`CREATE TEMPORARY TABLE ${table} (LIKE public.${table})`);
      }
      const more = dealSet({ buyerId: anna.id });
      const file = [Buffer.from(ndjson([...records, more]))];
      expect(await importFile(client, file)).toMatchObject({ added: 1, changed: 0 });
    } finally {
      await client.end();
    }
  });

  it('leaves its connection usable and outside a transaction, on success and failure', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await expect(importFile(client, [Buffer.from('{')])).rejects.toThrow(
      'line 1: must be one JSON object on each line',
    );
    expect(await importFile(client, [Buffer.from(ndjson([buyer()]))])).toMatchObject({ added: 1 });
    await client.query('VACUUM buyer');
    await client.end();
  });

  it('accepts the demo world, and later adds nothing but the new session', async () => {
    const nowMs = Date.now() - 60_000;
    await load(database, demoWorld(nowMs, 'first-cookie-value'), { isBackfill: true });
    const later = demoWorld(nowMs + 30_000, 'second-cookie-value');
    expect(await load(database, later, { isBackfill: true })).toMatchObject({ added: 1 });
  });

  it('never undoes a revocation, and reports how many stayed revoked', async () => {
    const anna = buyer();
    const [login, approval] = [session({ buyerId: anna.id }), grant({ buyerId: anna.id })];
    await load(database, [anna, login, approval]);
    for (const table of ['buyer_session', 'assistant_grant']) {
      await database.query(`UPDATE ${table} SET revoked_at = now() WHERE buyer_id = $1`, [anna.id]);
    }
    const before = await contents(database);
    const again = await load(database, [anna, login, approval]);
    expect(again).toMatchObject({ changed: 0, stillRevoked: 2 });
    expect(await contents(database)).toEqual(before);
    const renewed = grant({ buyerId: anna.id, clientId: approval.clientId });
    expect(await load(database, [renewed])).toMatchObject({ added: 1, stillRevoked: 0 });
  });

  it('skips the records of an erased buyer and everything that depends on them, unless the import restores them', async () => {
    const { anna, set, row, records } = buyerWithRequests();
    const file = [...records, question({ priceCheckId: row.id }), session({ buyerId: anna.id })];
    await load(database, [...file, buyer()]);
    const env = { DATABASE_URL: database.url };
    expect(await runInProcess(['erase', '--yes', '--buyer', anna.id], { env })).toMatchObject({
      exitCode: 0,
    });
    expect(await load(database, file)).toMatchObject({ added: 0, skippedErased: 6 });
    expect(await load(database, [set, row])).toMatchObject({ added: 0, skippedErased: 2 });
    expect(await database.query('SELECT id FROM buyer WHERE id = $1', [anna.id])).toEqual([]);
    const restored = await load(database, file, { mayRestoreErased: true });
    expect(restored).toMatchObject({ added: 6, skippedErased: 0 });
    expect(await load(database, file)).toMatchObject({ added: 0, skippedErased: 0 });
  });

  it('reports how many parts of listings are hidden', async () => {
    const { anna, shop, keys } = buyerWithRequests();
    const car = { make: 'Honda', exteriorColor: 'see www.x', model: ' ' };
    const row = priceCheck({ ...keys, listing: { ...car, trim: 'EX by Honda of Fremont' } });
    expect(await load(database, [anna, shop, row])).toMatchObject({ hiddenParts: 2 });
  });
});

/** The effect of an import on the feed; `feed/feed-changes.spec.ts` has every kind of change. */
describe('the feed after an import', () => {
  interface Entry {
    readonly kind: string;
    readonly at: string;
    readonly isTimeKnown: boolean;
  }
  async function feedOf(buyerId: string): Promise<Record<string, Entry>> {
    const rows = await database.query<{
      id: string;
      kind: string;
      feed_at: Date;
      is_time_known: boolean;
      is_pending: boolean;
    }>(
      'SELECT request_id AS id, kind, feed_at, is_time_known, is_pending FROM request_feed WHERE buyer_id = $1',
      [buyerId],
    );
    expect(rows.filter((row) => row.is_pending)).toEqual([]);
    return Object.fromEntries(
      rows.map(({ id, kind, feed_at, is_time_known: isTimeKnown }) => [
        id,
        { kind, at: feed_at.toISOString(), isTimeKnown },
      ]),
    );
  }
  const backfill = (records: readonly object[]) => load(database, records, { isBackfill: true });

  it('gives a back-filled request the time of its own record, not of its rows', async () => {
    const { anna, set, single, records } = buyerWithRequests();
    await backfill(records);
    expect(await feedOf(anna.id)).toEqual({
      [set.id]: { kind: 'deal_set', at: '2026-03-01T00:00:00.000Z', isTimeKnown: true },
      [single.id]: { kind: 'single', at: '2026-03-02T00:00:00.700Z', isTimeKnown: true },
    });
  });

  it('moves a request forward in a backfill only when its record has a later time', async () => {
    const { anna, keys, set, row, single, records } = buyerWithRequests();
    await backfill(records);
    const before = await feedOf(anna.id);
    await backfill([
      { ...set, latestActivityAt: '2026-02-01T00:00:00Z' },
      { ...row, ...written(5), latestActivityAt: '2026-06-01T00:00:00Z' },
      priceCheck({ ...keys, dealSetId: set.id }),
      question({ priceCheckId: row.id }),
      draft({ priceCheckId: single.id }),
      reply({ priceCheckId: single.id }),
    ]);
    expect(await feedOf(anna.id)).toEqual(before);
    await backfill([{ ...set, latestActivityAt: '2026-05-01T00:00:00Z' }]);
    await backfill([{ ...set, latestActivityAt: null }]);
    expect((await feedOf(anna.id))[set.id]!.at).toBe('2026-05-01T00:00:00.000Z');
  });

  it('places back-filled requests of unknown time where they are recorded, at most 100 per stamp', async () => {
    const startedAt = Date.now() - 2_000;
    const anna = buyer();
    const sets = Array.from({ length: 250 }, () => dealSet({ buyerId: anna.id }));
    await backfill([anna, ...sets]);
    const entries = Object.values(await feedOf(anna.id));
    expect(entries.filter(({ isTimeKnown }) => isTimeKnown)).toEqual([]);
    const stamps = [...new Set(entries.map(({ at }) => at))].sort();
    expect(Date.parse(stamps[0]!)).toBeGreaterThan(startedAt);
    expect(stamps.map((stamp) => entries.filter(({ at }) => at === stamp).length)).toEqual([
      100, 100, 50,
    ]);
  });

  it('places what a live import added or changed at the current time, regardless of times in the file', async () => {
    const { anna, set, single, records } = buyerWithRequests();
    await backfill(records);
    const before = await feedOf(anna.id);
    const late = dealSet({ buyerId: anna.id, latestActivityAt: '2020-01-01T00:00:00Z' });
    const recordsOfPeople = [
      { ...anna, changesGranted: true },
      session({ buyerId: anna.id }),
      grant({ buyerId: anna.id }),
    ];
    // Records that differ only in their times, and records of people, move nothing.
    await load(database, [
      ...records,
      ...recordsOfPeople,
      { ...set, latestActivityAt: '2026-06-01T00:00:00Z' },
    ]);
    expect(await feedOf(anna.id)).toEqual(before);
    const startedAt = Date.now() - 1_000;
    await load(database, [late, reply({ priceCheckId: single.id })]);
    const after = await feedOf(anna.id);
    expect(after[set.id]).toEqual(before[set.id]);
    for (const id of [late.id, single.id]) {
      expect(after[id]).toMatchObject({ isTimeKnown: true });
      expect(Date.parse(after[id]!.at)).toBeGreaterThan(startedAt);
    }
  });

  it('omits, for polling clients, back-filled new requests of known time for existing buyers', async () => {
    const { anna, shop, keys, set, row, single } = buyerWithRequests();
    const ben = buyer();
    await load(database, [anna, shop]);
    const file = [
      ...[ben, set, row, single],
      dealSet({ buyerId: anna.id }),
      dealSet({ buyerId: ben.id, latestActivityAt: '2026-02-01T00:00:00Z' }),
      priceCheck({ ...keys, dealSetId: set.id }),
    ];
    const dryRun = await load(database, file, { isBackfill: true, isDryRun: true });
    expect(dryRun).toMatchObject({ unseen: 2 });
    expect(await backfill(file)).toMatchObject({ unseen: 2 });
    expect(await backfill(file)).toMatchObject({ unseen: 0 });
    expect(await load(database, file)).not.toHaveProperty('unseen');
  });
});

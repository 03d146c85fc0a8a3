import pg from 'pg';
import { demoWorld } from '../../../packages/demo/src/demo-world/demo-world.js';
import { generateWorld } from '../../world/world-generator.js';
import { WORLD_DEFAULTS } from '../../world/world-options.js';
import { exportFile } from '../../../src/operations/export/export-file.js';
import { importFile } from '../../../src/operations/import/import-file.js';
import {
  buyer,
  buyerWithRequests,
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
      grant({ buyerId: anna.id, scopes, hosted: true, revokedAt: at, expiresAt: at }),
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

  it('reports progress while it writes, also while it writes many replies', async () => {
    const twoBuyers = [buyerWithRequests(), buyerWithRequests()];
    const replies = twoBuyers.flatMap(({ single }) =>
      Array.from({ length: 3_000 }, () => reply({ priceCheckId: single.id })),
    );
    const phases: [name: string, percent: number][] = [];
    const progress = {
      read: () => undefined,
      phase: (name: string, share: number) => void phases.push([name, Math.round(share * 100)]),
      waiting: () => undefined,
      end: () => undefined,
    };
    const records = [...twoBuyers.flatMap((owner) => owner.records), ...replies];
    await load(database, records, { isDryRun: true, progress });
    const percents = phases.map(([, percent]) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    const ofReplies = phases.filter(([name]) => name.startsWith('writing reply'));
    expect(ofReplies.map(([, percent]) => percent)).toEqual([30, 57, 83]);
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
       FROM deal_sets.price_check p JOIN deal_sets.dealership d ON d.id = p.dealership_id JOIN deal_sets.buyer b ON b.id = p.buyer_id
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
    const sets = await database.query(
      'SELECT dealers_found FROM deal_sets.deal_set WHERE id = $1',
      [first.id],
    );
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
      'SELECT id, client_id FROM deal_sets.assistant_grant WHERE buyer_id = $1 AND revoked_at IS NULL ORDER BY 2',
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
    await rival.query('INSERT INTO deal_sets.buyer (id, changes_granted) VALUES ($1, true)', [
      anna.id,
    ]);
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
        await client.query(`CREATE TEMPORARY TABLE ${table} (LIKE deal_sets.${table})`);
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
    await client.query('VACUUM deal_sets.buyer');
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
      await database.query(`UPDATE deal_sets.${table} SET revoked_at = now() WHERE buyer_id = $1`, [
        anna.id,
      ]);
    }
    const before = await contents(database);
    const again = await load(database, [anna, login, approval]);
    expect(again).toMatchObject({ changed: 0, stillRevoked: 2 });
    expect(await contents(database)).toEqual(before);
    const renewed = grant({ buyerId: anna.id, clientId: approval.clientId });
    expect(await load(database, [renewed])).toMatchObject({ added: 1, stillRevoked: 0 });
  });

  describe('of grants that expire', () => {
    const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
    const DAY_MS = 86_400_000;
    const ended = (days: number): { grantedAt: string; expiresAt: string } => ({
      grantedAt: ago((days + 1) * DAY_MS),
      expiresAt: ago(days * DAY_MS),
    });
    const grantsOf = (buyerId: string) =>
      database.query<{ id: string; state: string }>(
        `SELECT id, CASE WHEN revoked_at = expires_at THEN 'closed' WHEN revoked_at IS NULL THEN 'open' ELSE 'revoked' END AS state
         FROM deal_sets.assistant_grant WHERE buyer_id = $1 ORDER BY granted_at`,
        [buyerId],
      );

    it('closes an expired grant before a new one', async () => {
      const { id: buyerId, ...anna } = buyer();
      const first = grant({ buyerId, ...ended(9) });
      const second = grant({ buyerId, ...ended(5) });
      const third = grant({ buyerId, grantedAt: ago(0) });
      const file = [{ id: buyerId, ...anna }, first];
      await load(database, file);
      expect(await grantsOf(buyerId)).toEqual([{ id: first.id, state: 'open' }]);
      expect(await load(database, [second])).toMatchObject({ added: 1, changed: 1 });
      expect(await load(database, [third])).toMatchObject({ added: 1, changed: 1 });
      const closed = [
        { id: first.id, state: 'closed' },
        { id: second.id, state: 'closed' },
        { id: third.id, state: 'open' },
      ];
      expect(await grantsOf(buyerId)).toEqual(closed);
      // Loading the history again leaves the same state, and revokes nothing that was live.
      const again = await load(database, [third, second, first]);
      expect(again).toMatchObject({ added: 0, changed: 0, stillRevoked: 0 });
      expect(await grantsOf(buyerId)).toEqual(closed);
    });

    it('closes the expired grants of a history, whatever its order, also behind a stored grant', async () => {
      const { id: buyerId, ...anna } = buyer();
      const live = grant({ buyerId, grantedAt: ago(DAY_MS) });
      const history = [grant({ buyerId, ...ended(9) }), grant({ buyerId, ...ended(5) })];
      await load(database, [{ id: buyerId, ...anna }, live]);
      await load(database, [...history].reverse());
      expect((await grantsOf(buyerId)).map(({ state }) => state)).toEqual([
        'closed',
        'closed',
        'open',
      ]);
      const { id: otherId, ...ben } = buyer();
      const ofBen = { id: otherId, ...ben };
      const ended9 = grant({ buyerId: otherId, ...ended(9) });
      await load(database, [ofBen, grant({ buyerId: otherId, ...ended(5) }), ended9]);
      // The newest stays open, so that the log names the expiry.
      expect((await grantsOf(otherId)).map(({ state }) => state)).toEqual(['closed', 'open']);
    });

    it('prolongs a grant that has not expired, and one that has if it was approved again', async () => {
      const { id: buyerId, ...anna } = buyer();
      const soon = grant({ buyerId, expiresAt: '2998-01-01T00:00:00Z' });
      await load(database, [{ id: buyerId, ...anna }, soon]);
      const prolonged = { ...soon, expiresAt: '2999-01-01T00:00:00Z' };
      expect(await load(database, [prolonged])).toMatchObject({ changed: 1 });
      const over = { ...soon, ...ended(5) };
      expect(await load(database, [over])).toMatchObject({ changed: 1 });
      const again = { ...over, grantedAt: ago(0), expiresAt: null };
      expect(await load(database, [again])).toMatchObject({ changed: 1 });
    });
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
    expect(await database.query('SELECT id FROM deal_sets.buyer WHERE id = $1', [anna.id])).toEqual(
      [],
    );
    const restored = await load(database, file, { mayRestoreErased: true });
    expect(restored).toMatchObject({ added: 6, skippedErased: 0 });
    expect(await load(database, file)).toMatchObject({ added: 0, skippedErased: 0 });
  });

  it('reports how many parts of listings are hidden', async () => {
    const { anna, shop, keys } = buyerWithRequests();
    const car = { make: 'Honda', exteriorColor: 'see www.x', model: ' ' };
    const row = priceCheck({ ...keys, listing: { ...car, trim: 'EX by Honda of Fremont' } });
    expect(await load(database, [anna, shop, row])).toMatchObject({
      withheldParts: 2,
      kinds: { priceCheck: { records: 1, added: 1, changed: 0 } },
    });
  });
});

import pg from 'pg';
import { demoWorld } from '../../../packages/demo/src/demo-world/demo-world.js';
import { generateWorld } from '../../../packages/demo/src/world/world-generator.js';
import { WORLD_DEFAULTS } from '../../../packages/demo/src/world/world-options.js';
import { importFile } from '../../../src/import/import-file.js';
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
import { runCommand } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const TABLES = [
  'buyer',
  'dealership',
  'buyer_session',
  'assistant_grant',
  'deal_set',
  'price_check',
  'question',
  'draft',
  'reply',
  'request_feed',
];

/** Every row of every table with its version, so that even an update to the same values shows. */
async function contents(database: TestDatabase): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    all[table] = await database.query(
      `SELECT t.xmin::text, to_jsonb(t) AS row FROM ${table} t ORDER BY 2`,
    );
  }
  return all;
}

describe('an import', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('keeps every key of every kind of record', async () => {
    const anna = buyer({ changesGranted: true });
    const shop = dealership({
      phone: '(510) 555-0100',
      email: 'a@b.example',
      website: 'https://b.example',
      verifiedPartner: false,
    });
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
      createdAt: '2026-01-01T12:00:00.9999+02:00',
      endedAt: '2026-01-05T00:00Z',
    });
    const check = priceCheck({
      buyerId: anna.id,
      dealSetId: set.id,
      dealershipId: shop.id,
      listing: {
        year: 2024,
        make: 'Honda',
        model: 'CR-V',
        trim: "tab\tquote' \\N 日本🚗",
        exteriorColor: 'Red',
        mileage: 9_999_999,
        listedAtCents: 9_007_199_254_740_991,
        vin: 'V',
        url: 'https://u',
        imageUrl: 'https://i',
      },
      distanceMiles: 0.1,
      answer: 'different_car',
      price: { otdCents: 0, sellingPriceCents: 5, writtenAt: '2026-01-03T00:00:00Z' },
      finishedAt: '2026-01-03T00:00:00Z',
      ended: 'closed_with_price',
      endedAt: '2026-01-04T00:00:00Z',
      unlockedAt: '2026-01-04T00:00:00Z',
      chosenAt: '2026-01-04T00:00:00Z',
      archivedAt: '2026-01-04T00:00:00Z',
    });
    const ask = question({
      priceCheckId: check.id,
      promptId: 'p:1',
      otdCents: 3,
      answeredAt: '2026-01-06T00:00:00Z',
      text: 'a\r\nb',
    });
    const note = draft({ priceCheckId: check.id, resolvedAt: '2026-01-06T00:00:00Z' });
    const heard = reply({ priceCheckId: check.id });
    const login = session({ buyerId: anna.id, revokedAt: '2026-01-06T00:00:00Z' });
    const approval = grant({
      buyerId: anna.id,
      scopes: ['offers:read', 'a "b",{c}\\'],
      hosted: true,
      revokedAt: '2026-01-06T00:00:00Z',
    });
    // Order inside a file is free.
    const records = [heard, note, ask, check, set, approval, login, shop, anna];
    const summary = await load(database, records);
    expect(summary).toMatchObject({ records: 9, added: 9, changed: 0 });

    const [row] = await database.query<Record<string, unknown>>(
      `SELECT p.*, d.car_interior_color, d.radius_miles, d.buyer_zip, d.dealers_found, d.created_at::text AS created,
         q.text, q.prompt_id, q.otd_cents::text AS asked_cents, q.request_id AS asked_request, dr.body, dr.resolved_at,
         r.received_at, s.revoked_at AS session_revoked, encode(s.token_sha256, 'hex') AS sha,
         g.scopes, g.is_hosted, b.changes_granted, sh.email, sh.verified_partner
       FROM price_check p JOIN deal_set d ON d.id = p.deal_set_id JOIN question q ON q.price_check_id = p.id
         JOIN draft dr ON dr.price_check_id = p.id JOIN reply r ON r.price_check_id = p.id
         JOIN buyer b ON b.id = p.buyer_id JOIN buyer_session s ON s.buyer_id = b.id
         JOIN assistant_grant g ON g.buyer_id = b.id JOIN dealership sh ON sh.id = p.dealership_id`,
    );
    expect(row).toMatchObject({
      listing_trim: check.listing.trim,
      listing_listed_at_cents: '9007199254740991',
      distance_miles: 0.1,
      otd_cents: '0',
      ended: 'closed_with_price',
      request_id: set.id,
      car_interior_color: 'Gray',
      radius_miles: 250.5,
      buyer_zip: '45202-1234',
      dealers_found: 14,
      text: 'a\r\nb',
      prompt_id: 'p:1',
      asked_cents: '3',
      asked_request: set.id,
      body: note.body,
      sha: login.tokenSha256,
      scopes: approval.scopes,
      is_hosted: true,
      changes_granted: true,
      email: 'a@b.example',
      verified_partner: false,
    });
    expect(row?.['created']).toMatch(/^2026-01-01 10:00:00\.999/);
  });

  it('leaves every row untouched when the same file is loaded again, live and as a backfill', async () => {
    const world = [...generateWorld({ ...WORLD_DEFAULTS, buyers: 5, rows: 6, seed: 'again' })];
    await load(database, world, { isBackfill: true });
    const before = await contents(database);
    expect(await load(database, world)).toMatchObject({
      records: world.length,
      added: 0,
      changed: 0,
    });
    expect(await contents(database)).toEqual(before);
    await load(database, world, { isBackfill: true });
    expect(await contents(database)).toEqual(before);
  });

  it('keeps nothing of a dry run, which reports what would become of the file', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const before = await contents(database);
    const records = [{ ...anna, changesGranted: true }, dealSet({ buyerId: anna.id })];
    const summary = await load(database, records, { isDryRun: true });
    expect(summary).toMatchObject({ records: 2, added: 1, changed: 1 });
    expect(await contents(database)).toEqual(before);
  });

  it('replaces a record whole: what the new one leaves out is gone', async () => {
    const anna = buyer({ changesGranted: true });
    const shop = dealership({ phone: '1' });
    const check = priceCheck({ buyerId: anna.id, dealershipId: shop.id, ...written(100) });
    await load(database, [anna, shop, check]);
    await load(database, [
      buyer({ id: anna.id }),
      dealership({ id: shop.id }),
      priceCheck({ id: check.id, buyerId: anna.id, dealershipId: shop.id, listing: {} }),
    ]);
    const [row] = await database.query(
      `SELECT p.otd_cents, p.answer, p.listing_make, p.shown_make, d.phone, b.changes_granted
       FROM price_check p, dealership d, buyer b`,
    );
    expect(row).toEqual({
      otd_cents: null,
      answer: null,
      listing_make: null,
      shown_make: null,
      phone: null,
      changes_granted: false,
    });
  });

  it('takes the last of several records with one id', async () => {
    const anna = buyer();
    const first = dealSet({ buyerId: anna.id, dealersFound: 1 });
    const summary = await load(database, [first, anna, { ...first, dealersFound: 2 }]);
    expect(summary.records).toBe(3);
    expect(await database.query('SELECT dealers_found FROM deal_set')).toEqual([
      { dealers_found: 2 },
    ]);
  });

  it('lets grants of an assistant follow each other in one file, and swap', async () => {
    const anna = buyer();
    const old = grant({ buyerId: anna.id, clientId: 'a' });
    const other = grant({ buyerId: anna.id, clientId: 'b' });
    await load(database, [anna, old, other]);
    await load(database, [
      grant({ buyerId: anna.id, clientId: 'a' }),
      { ...old, revokedAt: '2026-02-01T00:00:00Z' },
    ]);
    const live = (): Promise<object[]> =>
      database.query(
        'SELECT id, client_id FROM assistant_grant WHERE revoked_at IS NULL ORDER BY 2',
      );
    const [newest] = (await live()) as { id: string }[];
    await load(database, [
      grant({ id: newest!.id, buyerId: anna.id, clientId: 'b' }),
      grant({ id: other.id, buyerId: anna.id, clientId: 'a' }),
    ]);
    expect(await live()).toEqual([
      { id: other.id, client_id: 'a' },
      { id: newest!.id, client_id: 'b' },
    ]);
  });

  it('waits for another import, and then builds on its rows', async () => {
    const anna = buyer();
    const set = dealSet({ buyerId: anna.id });
    await Promise.all([
      load(database, [anna]),
      load(database, [anna, set]),
      load(database, [anna]),
    ]);
    expect(await database.query('SELECT id FROM deal_set')).toEqual([{ id: set.id }]);
  });

  it('starts over when another writer has just added the same row', async () => {
    const anna = buyer();
    const rival = new pg.Client({ connectionString: database.url });
    await rival.connect();
    await rival.query('BEGIN');
    await rival.query('INSERT INTO buyer (id, changes_granted) VALUES ($1, true)', [anna.id]);
    const importing = load(database, [anna]);
    await waitUntilBlocked(database);
    await rival.query('COMMIT');
    await rival.end();
    expect(await importing).toMatchObject({ records: 1, added: 0, changed: 1 });
  });

  it('leaves its connection usable and outside a transaction, well or not', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    async function* bytes(text: string): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from(text));
    }
    await expect(importFile(client, bytes('{'))).rejects.toThrow(
      'line 1: must be one JSON object on each line',
    );
    await importFile(client, bytes(ndjson([buyer()])));
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM buyer');
    expect(rows).toEqual([{ count: '1' }]);
    await client.end();
  });

  it('takes the demo world, again later too, and then adds nothing but the new session', async () => {
    const nowMs = Date.now() - 60_000;
    await load(database, demoWorld(nowMs, 'first-cookie-value'), { isBackfill: true });
    const count = (): Promise<object[]> =>
      database.query(
        'SELECT (SELECT count(*) FROM price_check) AS checks, (SELECT count(*) FROM reply) AS replies',
      );
    const before = await count();
    const later = await load(database, demoWorld(nowMs + 30_000, 'second-cookie-value'), {
      isBackfill: true,
    });
    expect(later.added).toBe(1);
    expect(await count()).toEqual(before);
  });

  it('never undoes a revocation, and says how many stayed revoked', async () => {
    const [anna, login] = [buyer(), session({ buyerId: buyer().id })];
    const mine = { ...login, buyerId: anna.id };
    const approval = grant({ buyerId: anna.id });
    await load(database, [anna, mine, approval]);
    await database.query('UPDATE buyer_session SET revoked_at = now() WHERE id = $1', [mine.id]);
    await database.query('UPDATE assistant_grant SET revoked_at = now() WHERE id = $1', [
      approval.id,
    ]);
    const before = await contents(database);
    expect(await load(database, [anna, mine, approval])).toMatchObject({
      changed: 0,
      stillRevoked: 2,
    });
    expect(await contents(database)).toEqual(before);
    const renewed = grant({ buyerId: anna.id, clientId: approval.clientId });
    expect(await load(database, [renewed])).toMatchObject({ added: 1, stillRevoked: 0 });
  });

  it('skips the records of an erased buyer and all that hangs on them, unless it is to restore them', async () => {
    const [anna, ben, shop] = [buyer(), buyer(), dealership()];
    const set = dealSet({ buyerId: anna.id });
    const row = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: shop.id });
    const file = [
      anna,
      ben,
      shop,
      set,
      row,
      question({ priceCheckId: row.id }),
      session({ buyerId: anna.id }),
    ];
    await load(database, file);
    const { exitCode } = await runCommand(['erase', '--yes', '--buyer', anna.id], {
      env: { DATABASE_URL: database.url },
    });
    expect(exitCode).toBe(0);
    expect(await load(database, file)).toMatchObject({ added: 0, skippedErased: 5 });
    expect(await load(database, [set, row])).toMatchObject({ added: 0, skippedErased: 2 });
    expect(await database.query('SELECT id FROM buyer WHERE id = $1', [anna.id])).toEqual([]);
    expect(await load(database, file, { mayRestoreErased: true })).toMatchObject({
      added: 5,
      skippedErased: 0,
    });
    expect(await load(database, file)).toMatchObject({ added: 0, skippedErased: 0 });
  });

  it('says how many parts of listings are not shown', async () => {
    const [anna, shop] = [buyer(), dealership({ name: 'Kestrel Cars' })];
    const row = priceCheck({
      buyerId: anna.id,
      dealershipId: shop.id,
      listing: {
        make: 'Honda',
        trim: 'EX by Kestrel Cars',
        exteriorColor: 'see www.x',
        model: ' ',
      },
    });
    expect(await load(database, [anna, shop, row])).toMatchObject({ hiddenParts: 2 });
  });

  it.each([[`'infinity'`], [`'-infinity'`], [`'10000-01-01Z'`], [`'0001-12-31 BC'`]])(
    'is not the only one whose times are four digits of a year: %s is refused to others',
    async (time) => {
      const anna = buyer();
      await load(database, [anna]);
      await expect(
        database.query(
          `INSERT INTO deal_set (buyer_id, id, car_year, car_make, car_model, created_at)
         VALUES ($1, gen_random_uuid(), 2025, 'Honda', 'CR-V', ${time})`,
          [anna.id],
        ),
      ).rejects.toMatchObject({ code: '23514' });
    },
  );
});

async function waitUntilBlocked(database: TestDatabase): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    const waiting = await database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('no session waited');
}

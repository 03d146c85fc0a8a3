import type { ListEntry } from '../../src/deal-sets/dto/list-entry.js';
import { buyer, dealership, dealSet, priceCheck, written } from '../builders/index.js';
import { describeStandalone } from '../setup/host-application.js';
import { LIST } from '../setup/http-call.js';
import type { Credential } from '../setup/test-service.js';
import { BEGINNING, ContractService, idOf, PRINCIPALS } from './contract-service.js';
import type { Reader } from '../setup/world.js';

const contract = ContractService.forFile();
const shop = dealership();
beforeAll(() => contract.insert(shop));

const day = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString();

/** Stores a buyer with a deal set of one row and a request to a single dealership. */
async function newWorld() {
  const reader = await contract.newReader();
  const keys = { buyerId: reader.id, dealershipId: shop.id };
  const set = dealSet({ buyerId: reader.id });
  const row = priceCheck({ ...keys, dealSetId: set.id });
  const single = priceCheck(keys);
  await contract.insert(set, row, single);
  return { reader, set, row, single, getPath: `${LIST}/${set.id}` };
}
type World = Awaited<ReturnType<typeof newWorld>>;

describe.each(PRINCIPALS)('4 the endpoints, for the %s', (principal) => {
  let world: World;
  let caller: Credential;
  beforeAll(async () => {
    world = await newWorld();
    caller = world.reader[principal];
  });

  it('4 answer 200 with JSON { "data": … }', async () => {
    for (const path of [LIST, world.getPath]) {
      const { status, headers, body } = await contract.service.get<object>(path, caller);
      expect([status, Object.keys(body)]).toEqual([200, ['data']]);
      expect(headers['content-type']).toMatch(/^application\/json\b/);
    }
  });

  it('4 answer HEAD like GET, without the body', async () => {
    for (const path of [LIST, world.getPath]) {
      const get = await contract.service.get(path, caller);
      const head = await contract.service.get(path, caller, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-length', 'content-type', 'service-more'])
        expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it('4 have no conditional answer: every condition gets 200', async () => {
    // Express adds an ETag.
    const { etag = '*' } = (await contract.service.get(LIST, caller)).headers;
    const { status } = await contract.service.get(LIST, caller, {
      headers: { 'if-none-match': String(etag), 'if-modified-since': new Date().toUTCString() },
    });
    expect(status).toBe(200);
  });

  it('4 ignore query names that they do not know', async () => {
    const query = '?limit=0&SINCE=never&since%5B%5D=x&__proto__=1';
    for (const path of [LIST, world.getPath]) {
      const { text } = await contract.service.get(path, caller);
      expect((await contract.service.get(`${path}${query}`, caller)).text).toBe(text);
    }
  });

  // A host application decides about its paths and methods itself.
  describeStandalone('served standalone', () => {
    it('4 answer not_found to every other method, and to every other path', async () => {
      const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
      const requests = [
        ...others.flatMap((method) => [LIST, world.getPath].map((path) => [method, path])),
        ...[`${LIST}/`, `${world.getPath}/`, `${world.getPath}/rows`, '/api/v1/Deal-Sets'].map(
          (path) => ['GET', path],
        ),
        ...['/', '/api/v1', `${LIST}%2F${world.set.id}`].map((path) => ['GET', path]),
      ] as [string, string][];
      for (const [method, path] of requests) {
        const { status, code } = await contract.service.get(path, caller, { method });
        expect([method, path, status, code]).toEqual([method, path, 404, 'not_found']);
      }
    });

    it('4 take no body: one that is sent is ignored, whatever it is', async () => {
      for (const path of [LIST, world.getPath]) {
        const headers = { 'content-type': 'application/json' };
        const sent = await contract.service.send('GET', path, caller, headers, '{"broken');
        expect(sent.status).toBe(200);
      }
    });
  });
});

interface Counts {
  readonly sets?: number;
  readonly singles?: number;
  readonly endedSets?: number;
  readonly endedSingles?: number;
}

/**
 * Stores requests, oldest first, so that only their times can decide the order.
 *
 * @returns the ids that a plain call returns.
 */
async function insertRequests(reader: Reader, counts: Counts): Promise<string[]> {
  const { sets = 0, singles = 0, endedSets = 0, endedSingles = 0 } = counts;
  const keys = { buyerId: reader.id, dealershipId: shop.id };
  const many = <T>(count: number, make: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => make(n));
  const activeSets = many(sets, (n) => dealSet({ buyerId: reader.id, createdAt: day(n) }));
  const activeSingles = many(singles, (n) => priceCheck({ ...keys, requestedAt: day(n) }));
  await contract.insert(
    ...activeSets,
    ...activeSingles,
    ...many(endedSets, (n) =>
      dealSet({ buyerId: reader.id, createdAt: day(500 + n), endedAt: day(501 + n) }),
    ),
    ...many(endedSingles, (n) =>
      priceCheck({
        ...keys,
        requestedAt: day(500 + n),
        ...(n % 2 ? { ended: 'sold' } : { archivedAt: day(600) }),
      }),
    ),
  );
  const newest = (records: readonly { id: string }[], most: number): string[] =>
    records
      .map(({ id }) => id)
      .toReversed()
      .slice(0, most);
  return [...newest(activeSets, 12), ...newest(activeSingles, 25)];
}

/** Stores requests of both kinds whose activity is one second apart, and returns their ids. */
async function insertHistory(reader: Reader, count: number): Promise<string[]> {
  const records = Array.from({ length: count }, (_, n) =>
    n % 2 === 0
      ? dealSet({ buyerId: reader.id })
      : priceCheck({ buyerId: reader.id, dealershipId: shop.id }),
  );
  await contract.insert(...records);
  const times = records.map(({ id }, n) => [
    id,
    new Date(Date.UTC(2026, 3, 1, 0, 0, n)).toISOString(),
  ]);
  await contract.setActivity(reader, Object.fromEntries(times) as Record<string, string>);
  return records.map(({ id }) => id);
}

describe('4.1 the plain list', () => {
  it.each<[string, Counts, 'true' | 'false']>([
    ['4.1.1 is empty for a buyer without requests', {}, 'false'],
    [
      '4.1.1 holds up to 12 deal sets and the newest 25 requests to one dealership',
      { sets: 12, singles: 25 },
      'false',
    ],
    [
      '4.1 Service-More is true when a 13th active deal set was left out',
      { sets: 13, singles: 1 },
      'true',
    ],
    [
      '4.1 Service-More is true when a 26th active request to one dealership was left out',
      { singles: 26 },
      'true',
    ],
    [
      '4.1 Service-More never counts ended requests, and 4.1.2 they do not come',
      { sets: 12, singles: 25, endedSets: 30, endedSingles: 60 },
      'false',
    ],
  ])('%s', async (_title, counts, isMore) => {
    const reader = await contract.newReader();
    const expected = await insertRequests(reader, counts);
    for (const principal of PRINCIPALS) {
      const { ids, more, asOf, entries } = await contract.list(reader[principal]);
      expect([ids, more]).toEqual([expected, isMore]);
      // Only a `since` call has these (4.1, rule 1).
      expect(asOf).toBeUndefined();
      expect(entries.filter((entry) => 'changes' in entry)).toEqual([]);
    }
  });

  it('4.1 holds the caller’s own requests alone', async () => {
    const [anna, ben] = [await contract.newReader(), await contract.newReader()];
    for (const reader of [anna, ben]) {
      const expected = await insertRequests(reader, { sets: 2, singles: 2 });
      for (const principal of PRINCIPALS)
        expect((await contract.list(reader[principal])).ids).toEqual(expected);
    }
  });
});

describe.each(PRINCIPALS)('4.1 the list with `since`, for the %s', (principal) => {
  let reader: Reader;
  beforeEach(async () => {
    reader = await contract.newReader();
  });

  it.each([
    ['an offset', '2026-04-01T02:00:00+02:00', 2],
    ['a fraction', '2026-04-01T00:00:00.999999999Z', 2],
    ['the same instant in another zone', '2026-04-01T05:45:01+05:45', 1],
    ['the first instant', '0001-01-01T05:00:00+05:00', 3],
    ['the last instant', '9999-12-31T18:59:59.999-05:00', 0],
    ['the basic form', '20260401T000001Z', 1],
  ])('4.1 since accepts %s: only activity after it', async (_what, since, count) => {
    const ids = await insertHistory(reader, 3);
    const { ids: listed } = await contract.list(reader[principal], since);
    expect(listed).toEqual(ids.slice(3 - count));
  });

  it.each([
    ['a word', 'since=yesterday'],
    ['a date', 'since=2026-04-01'],
    ['a time without a zone', 'since=2026-04-01T00:00:00'],
    ['seconds since 1970', 'since=1775001600'],
    ['a day that no calendar has', 'since=2026-02-30T00:00:00Z'],
    ['an hour that no clock has', 'since=2026-04-01T25:00:00Z'],
    ['an offset that no zone has', 'since=2026-04-01T00:00:00%2B25:00'],
    ['the format of HTTP dates', 'since=Wed,%2001%20Apr%202026%2000:00:00%20GMT'],
    ['an empty value', 'since='],
    ['a name without a value', 'since'],
    ['a blank', 'since=%20'],
    ['a repetition', 'since=2026-04-01T00:00:00Z&since=2026-04-01T00:00:00Z'],
    ['a repetition whose second value is empty', 'since=2026-04-01T00:00:00Z&since='],
    ['an unescaped plus', 'since=2026-04-01T00:00:00+02:00'],
    ['a NUL after the time', 'since=2026-04-01T00:00:00Z%00'],
    ['an instant before the first year', 'since=0001-01-01T00:00:00%2B05:00'],
    ['digits of another script', 'since=%D9%A2%D9%A0%D9%A2%D9%A6-04-01T00:00:00Z'],
    ['a broken escape', 'since=2026-04-01T00:00:00Z%'],
    ['broken UTF-8', 'since=%FF%FE'],
  ])('4.1 since refuses %s with invalid_request', async (_what, query) => {
    const { status, body } = await contract.service.get(`${LIST}?${query}`, reader[principal]);
    expect(status).toBe(400);
    // The same text for every wrong value: it names the parameter and its format, and repeats no
    // input.
    expect(body).toEqual({
      error: {
        code: 'invalid_request',
        message:
          '`since` must be one ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z; write + as %2B.',
      },
    });
  });

  it('4.1 Service-As-Of is slightly before the read, also for a `since` in the future', async () => {
    await insertHistory(reader, 1);
    for (const since of [BEGINNING, '2999-01-01T00:00:00Z']) {
      const before = await contract.databaseTime();
      const { asOf, more } = await contract.list(reader[principal], since);
      expect([asOf, more]).toEqual([
        expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        'false',
      ]);
      expect(Date.parse(asOf!)).toBeLessThan(await contract.databaseTime());
      expect(Date.parse(asOf!)).toBeGreaterThan(before - 5_000);
    }
  });

  it('4.1 Service-As-Of is the next `since`: no entry is skipped', async () => {
    const [id] = await insertHistory(reader, 2);
    const { asOf } = await contract.list(reader[principal], BEGINNING);
    expect((await contract.list(reader[principal], asOf)).entries).toEqual([]);
    await contract.service.database.query(
      'UPDATE deal_sets.deal_set SET dealers_found = 5 WHERE id = $1',
      [id],
    );
    expect((await contract.list(reader[principal], asOf)).ids).toEqual([id]);
  });

  it('4.1.2 holds ended requests, also one whose price is not in writing', async () => {
    const ended = { buyerId: reader.id, endedAt: day(9) };
    const set = dealSet(ended);
    const single = priceCheck({
      ...ended,
      dealershipId: shop.id,
      price: { otdCents: 5 },
      ended: 'no_price',
    });
    const archived = priceCheck({
      buyerId: reader.id,
      dealershipId: shop.id,
      archivedAt: day(9),
      ...written(5),
    });
    await contract.insert(set, single, archived);
    const { entries } = await contract.list(reader[principal], BEGINNING);
    const prices = Object.fromEntries(
      entries.map((entry) => [idOf(entry), [entry.section, entry.lowestWrittenOtdCents]]),
    );
    expect(prices).toEqual({
      [set.id]: ['inactive', null],
      [single.id]: ['inactive', null],
      [archived.id]: ['inactive', 5],
    });
  });

  it.each([
    [230, [100, 100, 30]],
    [100, [100]],
  ])(
    '4.1.3 reads everything from 1970, oldest activity first: %i requests',
    async (count, sizes) => {
      const ids = await insertHistory(reader, count);
      const pages = await contract.readAll(reader[principal]);
      expect(pages.map(({ entries }) => entries.length)).toEqual(sizes);
      expect(pages.flatMap((page) => page.ids)).toEqual(ids);
      // A page that is not the last returns its edge.
      for (const { asOf, entries } of pages.slice(0, -1))
        expect(asOf).toBe(entries.at(-1)!.latestActivityAt);
    },
  );

  it('4.1.4 shows an entry again that changes while a client reads: one is left per id and kind', async () => {
    const ids = await insertHistory(reader, 150);
    const first = await contract.list(reader[principal], BEGINNING);
    const [early, late] = [ids[1]!, ids[149]!];
    await contract.service.database.query(
      `UPDATE deal_sets.price_check SET answer = 'same_car', otd_cents = 111, written_at = now()
       WHERE id = ANY ($1)`,
      [[early, late]],
    );
    const fresh = priceCheck({ buyerId: reader.id, dealershipId: shop.id });
    await contract.insert(fresh);
    const rest = await contract.readAll(reader[principal], first.asOf);
    const entries = [first, ...rest].flatMap((page) => page.entries);
    const kept = new Map<string, ListEntry>(
      entries.map((entry) => [`${entry.kind} ${idOf(entry)}`, entry]),
    );
    expect(entries.length).toBeGreaterThan(kept.size);
    expect([...kept.values()].map(idOf).sort()).toEqual([...ids, fresh.id].sort());
    for (const id of [early, late])
      expect(kept.get(`single ${id}`)).toMatchObject({ lowestWrittenOtdCents: 111 });
  });
});

describe('4.1.5 changes', () => {
  it('4.1.5 are on each entry of an assistant whose buyer was granted them, and for nobody else', async () => {
    const [granted, other] = [
      await contract.newReader(),
      await contract.newReader(buyer({ changesGranted: false })),
    ];
    for (const reader of [granted, other]) {
      await insertHistory(reader, 2);
      for (const principal of PRINCIPALS) {
        const { entries } = await contract.list(reader[principal], BEGINNING);
        const isSent = principal === 'assistant' && reader === granted;
        expect(entries.map((entry) => 'changes' in entry)).toEqual([isSent, isSent]);
      }
    }
  });
});

describe.each(PRINCIPALS)('4.2 the deal set, for the %s', (principal) => {
  let world: World;
  let caller: Credential;
  beforeAll(async () => {
    world = await newWorld();
    caller = world.reader[principal];
  });

  async function notFound(id: string): Promise<string> {
    const { status, headers, text } = await contract.service.send('GET', `${LIST}/${id}`, caller);
    expect([id, status, headers['www-authenticate']]).toEqual([id, 404, undefined]);
    return text;
  }

  it('4.2 has the id of the request, which may be sent in upper case', async () => {
    for (const id of [world.set.id, world.set.id.toUpperCase()]) {
      const { body } = await contract.service.get(`${LIST}/${id}`, caller);
      expect(body).toMatchObject({ data: { dealSetId: world.set.id } });
    }
  });

  it('4.2 is found by any UUID that it was stored with, with or without a version', async () => {
    const id = `${'1'.repeat(8)}-1111-1111-1111-${world.set.id.slice(-12)}`;
    await contract.insert(dealSet({ buyerId: world.reader.id, id }));
    expect((await contract.service.get(`${LIST}/${id}`, caller)).status).toBe(200);
  });

  it('4.2 is not_found by a price-check id, another buyer’s id and an unknown id, with the same bytes', async () => {
    const unknown = await notFound('00000000-0000-4000-8000-000000000000');
    expect(JSON.parse(unknown)).toMatchObject({ error: { code: 'not_found' } });
    expect(await notFound(world.single.id)).toBe(unknown);
    expect(await notFound(world.row.id)).toBe(unknown);
    expect(await notFound((await newWorld()).set.id)).toBe(unknown);
  });

  it.each([
    ['a text that is not a UUID', 'abc'],
    ['a UUID in braces', '%7B00000000-0000-4000-8000-000000000000%7D'],
    ['a UUID without hyphens', '00000000000040008000000000000000'],
    ['a UUID with a blank', '%2000000000-0000-4000-8000-000000000000'],
    ['a UUID with a further character', '00000000-0000-4000-8000-000000000000x'],
    ['a NUL', '%00'],
    ['an encoded slash', 'a%2Fb'],
    ['SQL', "'%20OR%201=1--"],
  ])('4.2 is not_found by %s', async (_what, id) => {
    await notFound(id);
    expect((await contract.service.send('GET', `${LIST}/${id}`, undefined)).status).toBe(401);
  });

  // A host application decides about these paths itself.
  describeStandalone('served standalone', () => {
    it.each([
      ['broken percent-encoding', '%FF'],
      ['half an escape', '%'],
      ['a very long text', 'a'.repeat(4000)],
      ['a lone surrogate', '%ED%A0%80'],
    ])('4.2 is not_found by %s', async (_what, id) => {
      await notFound(id);
      expect((await contract.service.send('GET', `${LIST}/${id}`, undefined)).status).toBe(401);
    });
  });
});

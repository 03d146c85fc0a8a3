import { Client } from 'pg';
import { buyer, dealership, insert, priceCheck } from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { PLAIN_TRIMS } from './car-words.js';

/**
 * Which parts of a listing may be shown. The database decides when the row or the dealership's name
 * is written.
 */
describe('a part of a listing', () => {
  let database: TestDatabase;
  const anna = buyer();

  beforeAll(async () => {
    database = await createTestDatabase();
    await insert(database, [anna]);
  });
  afterAll(() => database.drop());

  interface Parts {
    make?: string | null;
    model?: string | null;
    trim?: string | null;
    exteriorColor?: string | null;
  }
  async function shown(name: string, parts: Parts): Promise<(string | null)[]> {
    const { make = null, model = null, trim = null, exteriorColor = null } = parts;
    const [row] = await database.query<{ parts: (string | null)[] }>(
      `SELECT ARRAY[s.make, s.model, s.trim_level, s.color] AS parts
       FROM deal_sets.shown_parts(2026, $1, $2, $3, $4, deal_sets.name_keys($5)) s`,
      [make, model, trim, exteriorColor, name],
    );
    return row!.parts;
  }
  const shownTrim = async (trim: string, name = 'Lakeside Motors'): Promise<string | null> =>
    (await shown(name, { trim }))[2]!;

  it.each([
    ...PLAIN_TRIMS,
    ...'Lariat 502A|AMG® C 43 4MATIC®|Grand Touring (Reserve)|P400 MHEV|Rubicon 392 (6.4L)|Big Horn/Lone Star'.split(
      '|',
    ),
    ...`1500 Laramie Crew 5'7" Box|2500 Tradesman 8' Box|Velvet Red Pearl-Coat|Everest White 3-Stage`.split(
      '|',
    ),
    ...'Punk’n Metallic|Go Mango!|Rouge Élixir|Fathom Blue [Mica]|_Base_|#1 Edition|A & B|Crème, Ivory'.split(
      '|',
    ),
    ...`v8 'Sport'|“Nismo”|5+2|+|!|Tuned|None Better|NA Miata|Base AL`.split('|'),
    ...'HD 10360 GVWR|DRW 10360 GVWR|EX 12345|Auto.Dealer|v2.0.app'.split('|'),
    '250 3dr SWB Low Roof Cargo Van with 60/40 Passenger Side Doors',
    '250 3dr LWB Medium Roof Cargo Van with Sliding Passenger Side Door',
    '350 HD 10360 GVWR Extended High Roof LWB DRW RWD',
    'x'.repeat(100),
    // A bar cannot be in the lists above.
    'Trim | x',
  ])('is shown as given: %s', async (text) => {
    expect(await shownTrim(text)).toBe(text.normalize('NFC'));
  });

  it.each([
    ...'sales@lakeside.example|EX lakesidemotors.com|EX lakeside.CARS today|www.lakeside|https://x.y/z|//x'.split(
      '|',
    ),
    ...'lake.comCall us|lakesidecars.auto|BAYIMPORTS.CA/1|bayimports.dealer|lakesideNow.shopToday'.split(
      '|',
    ),
    ...'call 415&nbsp555&nbsp0142|call 555-0123|call 555.0123|(510) 555-0100|5 1 0 5 5 5 0 1 0 0|+15105550100'.split(
      '|',
    ),
    ...'94536|#94536|94536-1234|94536 1234|5550100|Fremont CA 94536|Fremont, ca.94536|TX-75001'.split(
      '|',
    ),
    ...'1HGCM82633A004352|VIN KMHXX00XX1X2|<b>EX</b>|EX &amp; more; x|ЖEX|漢字|EX@L|EX=L|EX?|EX%20L|EX{1}'.split(
      '|',
    ),
    ...[
      'E\u0301\u0302X',
      'EX\u200bL',
      'EX\u202eL',
      'EX\nL',
      'EX\\L',
      '½ ton',
      'x'.repeat(101),
      '🚗',
      ' ',
    ],
  ])('is not shown: %j', async (text) => {
    expect(await shownTrim(text)).toBeNull();
  });

  it.each('—|-|--|.|++|N/A|n/a|NaN|null|None|(none)|undefined|Unknown|UNKNOWN.|tbd'.split('|'))(
    'is unknown where it states no value: %s',
    async (text) => {
      expect(
        await shown('Kestrel', { make: text, model: text, trim: text, exteriorColor: text }),
      ).toEqual([null, null, null, null]);
    },
  );

  it.each([
    ['Lakeside Motors', 'EX by Lakeside Motors'],
    ['Lakeside Motors', 'EX LAKE-SIDE/motors!'],
    ['Lakeside Motors', 'exlakesidemotorsx'],
    ['Lakeside Motors, LLC', 'Lakeside Motors'],
    ['Lakeside Motors Inc.', 'Lakeside Motors'],
    ['Lakeside Motors GmbH', 'lakeside motors gmbh'],
    ['Müller Autos', 'von Muller Autos'],
    ['O’Brien & Sons', "O'Brien Sons"],
    ['Bob', 'Bob'],
    ['Bob Co', 'BOB'],
    ['Lakeside Motors, L.L.C.', 'Lakeside Motors Special'],
    ['Lakeside Motors Incorporated', 'Lakeside Motors Special'],
    ['Lakeside Motors Company', 'Lakeside Motors Special'],
    ['Lakeside Motors LP', 'Lakeside Motors Special'],
    ['Lakeside Motors Co., Inc.', 'Lakeside Motors Special'],
    ['Lakeside Motors (P.C.)', 'Lakeside Motors Special'],
    ['Lakeside Motors & Co.', 'Lakeside Motors Special'],
    ['Lakeside\u00a0Motors\u00a0LLC', 'Lakeside Motors Special'],
    ['Company LLC', 'Company Edition'],
    ['O’Brien & Sons', 'OBrienAndSons'],
    ['O’Brien and Sons', "O'Brien & Sons"],
    ['O’Brien and Sons', "by O'Brien Sons"],
    ['Accord', 'Accord'],
    ['Ford', 'Ford Edition'],
    ['Ford LLC', 'Ford Edition'],
    ['Fremont Motors - Sales', 'Fremont Motors'],
    ['The Lakeside Store', 'by Lakeside Store'],
    ['Lake Holdings d/b/a Kite', 'Kite Edition'],
    ['Włodek Sørensen Auto', 'Wlodek Sorensen Auto'],
    ['Ｌａｋｅｓｉｄｅ\u00ad Motors', 'Lakeside Motors'],
    ['Bob&#39;s Auto Mart', "Bob's Auto Mart Special"],
    ["Bob's Auto Mart", 'Bob&#39s Auto Mart Special'],
    ['Bob&#038;#8217;s Auto Mart', 'Bob’s Auto Mart Special'],
    ['Smith &amp; Sons Ford', 'Smith & Sons Ford Edition'],
    ['Lakeside Motors', 'Lakeside&nbspMotors'],
    ['<b>Lakeside</b> Motors', 'by Lakeside Motors'],
  ])('is not shown when it names its own dealership (%s): %s', async (name, text) => {
    expect(await shownTrim(text, name)).toBeNull();
  });

  it.each([
    ['Bob', 'Bobcat'],
    ['Lakeside Motors', 'Lakeside'],
    ['Жук', 'EX'],
    ['Lakeside Motors', 'Motors Lakeside'],
    ['Bronco', 'Bron'],
    ['Cinco', 'Cin EX'],
    ['Auto-Co', 'Automatic'],
    ['Co.', 'Coupe'],
    ['LLC', 'EX'],
    ['Ford', 'Ford'],
    ['Ford Co., Inc.', 'FORD'],
    ['Ram', 'Ramcharger'],
    ['Lakes - Sales', 'Lakes'],
    ['Chevrolet - Fremont', 'Chevrolet Edition'],
    ['The Lake', 'Lake'],
  ])('is shown when it does not name its dealership (%s): %s', async (name, text) => {
    expect(await shownTrim(text, name)).toBe(text);
  });

  it('is checked in the same way in every collation', async () => {
    const parts = ['INFINITI', 'LAKE.INFO', 'N/A', 'UNDEFINED', 'WI 53703', 'LIMITED INN'];
    const rows = await database.query<{ plain: unknown; turkish: unknown }>(
      `SELECT
         deal_sets.shown_parts(2026, part, 'A', part, part, deal_sets.name_keys('INFINITI inn' COLLATE "C"))::text AS plain,
         deal_sets.shown_parts(2026, part COLLATE "tr-x-icu", 'A', part, part, deal_sets.name_keys('INFINITI inn'))::text AS turkish
       FROM unnest($1::text[]) part`,
      [parts],
    );
    expect(rows).toHaveLength(parts.length);
    for (const { plain, turkish } of rows) expect(turkish).toEqual(plain);
  });

  it('is exempt only where it is a make in the name of its dealership', async () => {
    const ford = { make: 'Ford', model: 'F-150', trim: 'Ford Edition', exteriorColor: 'Ford' };
    expect(await shown('Ford', ford)).toEqual(['Ford', 'F-150', null, 'Ford']);
    expect(await shown('Ford LLC', { ...ford, make: 'FORD' })).toEqual([
      'FORD',
      'F-150',
      null,
      'Ford',
    ]);
    const landRover = { make: 'Land Rover', model: 'Range Rover', trim: 'Rover' };
    expect(await shown('Land Rover', landRover)).toEqual([
      'Land Rover',
      'Range Rover',
      'Rover',
      null,
    ]);
  });

  it('is exempt from the check of the name only', async () => {
    expect(await shown('Ford', { make: '<Ford>', model: 'F-150' })).toEqual([
      null,
      'F-150',
      null,
      null,
    ]);
  });

  it('is not exempt from the check because another part names its own dealership', async () => {
    const listing = { make: 'Honda', trim: 'Lakeside Motors Special', exteriorColor: 'Blue' };
    expect(await shown('Lakeside Motors', { ...listing, model: 'Lakeside Motors' })).toEqual([
      'Honda',
      null,
      null,
      'Blue',
    ]);
    expect(
      await shown('Lakeside Motors', { trim: 'Lakeside Motors', make: 'LAKESIDE MOTORS' }),
    ).toEqual([null, null, null, null]);
  });

  it('is unknown where a name is spread over color, model and trim: the trim first', async () => {
    const spread = { exteriorColor: 'Blue', model: 'Heron', trim: 'Motors EX' };
    expect(await shown('Heron Motors', spread)).toEqual([null, 'Heron', null, 'Blue']);
    expect(await shown('Blue Heron', spread)).toEqual([null, 'Heron', null, null]);
  });

  it('is unknown where a name is spread over make, model and trim: the trim first', async () => {
    const spread = { make: 'Honda', model: 'Lakeside', trim: 'Motors EX', exteriorColor: 'Blue' };
    expect(await shown('Honda Lakeside Motors', spread)).toEqual([
      'Honda',
      'Lakeside',
      null,
      'Blue',
    ]);
    expect(await shown('Honda Lakeside', spread)).toEqual(['Honda', null, null, 'Blue']);
    // A part that is exempt counts as empty.
    expect(await shown('Honda', { make: 'Hon', model: 'Honda', trim: 'da' })).toEqual([
      'Hon',
      'Honda',
      null,
      null,
    ]);
  });

  const contents = async (id: string): Promise<Record<string, unknown>> =>
    (
      await database.query(
        `SELECT shown_trim AS trim, shown_mileage AS miles, shown_listed_at_cents::float8 AS cents
         FROM deal_sets.price_check WHERE id = $1`,
        [id],
      )
    )[0]!;

  it('has no mileage or price beyond the limits for cars, and no price below a dollar', async () => {
    const shop = dealership();
    const rows = [
      { mileage: 1_000_000, listedAtCents: 1_000_000_000 },
      { mileage: 1_000_001, listedAtCents: 1_000_000_001 },
      { mileage: 0, listedAtCents: 0 },
      { mileage: 0, listedAtCents: 99 },
      { mileage: 0, listedAtCents: 100 },
    ].map((listing) => priceCheck({ buyerId: anna.id, dealershipId: shop.id, listing }));
    await insert(database, [shop, ...rows]);
    expect(await contents(rows[0]!.id)).toMatchObject({ miles: 1_000_000, cents: 1_000_000_000 });
    expect(await contents(rows[1]!.id)).toMatchObject({ miles: null, cents: null });
    expect(await contents(rows[2]!.id)).toMatchObject({ miles: 0, cents: null });
    expect(await contents(rows[3]!.id)).toMatchObject({ miles: 0, cents: null });
    expect(await contents(rows[4]!.id)).toMatchObject({ miles: 0, cents: 100 });
  });

  /** A row whose trim names a dealership other than its own. */
  function rowNamingAnotherDealership() {
    const shop = dealership({ name: 'Kestrel' });
    const listing = { trim: 'EX Quarry' };
    return { shop, row: priceCheck({ buyerId: anna.id, dealershipId: shop.id, listing }) };
  }

  it('is checked again for another dealership, name or text; a writer cannot write what is shown', async () => {
    const { shop, row } = rowNamingAnotherDealership();
    const other = dealership({ name: 'Quarry' });
    await insert(database, [shop, other, row]);
    const trimAfter = async (sql: string): Promise<unknown> => {
      await database.query(sql, [row.id]);
      return (await contents(row.id))['trim'];
    };
    const set = (change: string): string =>
      `UPDATE deal_sets.price_check SET ${change} WHERE id = $1`;
    expect(await trimAfter(set(`shown_trim = 'forged'`))).toBe('EX Quarry');
    expect(await trimAfter(set(`dealership_id = '${other.id}'`))).toBeNull();
    await database.query(`UPDATE deal_sets.dealership SET name = 'Pit' WHERE id = $1`, [other.id]);
    expect(await contents(row.id)).toMatchObject({ trim: 'EX Quarry' });
    expect(await trimAfter(set(`listing_trim = 'EX Pit'`))).toBe('EX Pit');
    expect(await trimAfter(set(`listing_trim = 'Pit', shown_trim = 'Pit'`))).toBeNull();
  });

  it.each([
    ['that another transaction adds meanwhile', 'adding'],
    ['that is added while the renaming is still open', 'renaming'],
  ])('is compared with the new name in a row %s', async (_which, begunFirst) => {
    const { shop, row } = rowNamingAnotherDealership();
    await insert(database, [shop]);
    interface Connection {
      query(text: string, values?: unknown[]): Promise<unknown>;
    }
    const add = (on: Connection): Promise<unknown> =>
      insert({ query: (text, values) => on.query(text, [...values]) }, [row]);
    const rename = (on: Connection): Promise<unknown> =>
      on.query(`UPDATE deal_sets.dealership SET name = 'Quarry' WHERE id = $1`, [shop.id]);
    const [first, second] = begunFirst === 'adding' ? [add, rename] : [rename, add];
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    await first(client);
    const waiting = second(database);
    await untilLockWaits(database);
    await client.query('COMMIT');
    await waiting;
    await client.end();
    expect(await contents(row.id)).toMatchObject({ trim: null });
  });
});

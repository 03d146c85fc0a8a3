import { Client } from 'pg';
import { buyer, dealership, dealSet, insert, priceCheck, question } from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { MODELS, PLAIN_TRIMS } from './car-words.js';

let database: TestDatabase;
const anna = buyer();

beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, [anna]);
});
afterAll(() => database.drop());

interface Parts {
  readonly make?: string | null;
  readonly model?: string | null;
  readonly trim?: string | null;
  readonly color?: string | null;
}

/** Returns make, model, trim and color as they are shown at a dealership of this name. */
async function shown(name: string, parts: Parts): Promise<(string | null)[]> {
  const { make = null, model = null, trim = null, color = null } = parts;
  const [row] = await database.query<{ parts: (string | null)[] }>(
    `SELECT ARRAY[s.make, s.model, s.trim_level, s.color] AS parts
     FROM deal_sets.shown_parts($1, $2, $3, $4, $5) s`,
    [make, model, trim, color, name],
  );
  return row!.parts;
}
const shownTrim = async (trim: string, name = 'Lakeside Motors'): Promise<string | null> =>
  (await shown(name, { trim }))[2]!;

const listOf = (text: string): string[] => text.split('|');

describe('a part of a listing', () => {
  it.each([
    ...PLAIN_TRIMS,
    ...listOf(
      'Lariat 502A|AMG® C 43 4MATIC®|Grand Touring (Reserve)|P400 MHEV|Rubicon 392 (6.4L)|Big Horn/Lone Star',
    ),
    ...listOf(
      `1500 Laramie Crew 5'7" Box|2500 Tradesman 8' Box|Velvet Red Pearl-Coat|Everest White 3-Stage`,
    ),
    ...listOf(
      'Punk’n Metallic|Go Mango!|Rouge Élixir|Fathom Blue [Mica]|_Base_|#1 Edition|A & B|Crème, Ivory',
    ),
    ...listOf(`v8 'Sport'|“Nismo”|5+2|+|!|Tuned|None Better|NA Miata|HD 10360 GVWR|v2.0.app`),
    '250 3dr SWB Low Roof Cargo Van with 60/40 Passenger Side Doors',
    'x'.repeat(100),
    // A bar cannot be in the lists above.
    'Trim | x',
  ])('is shown as given: %s', async (text) => {
    expect(await shownTrim(text)).toBe(text.normalize('NFC'));
  });

  it('is shown trimmed and in NFC', async () => {
    expect(await shownTrim(' Gris Me\u0301tal\t')).toBe('Gris M\u00e9tal');
  });

  it('is shown for every usual model', async () => {
    const withheld = await database.query(
      `SELECT model FROM unnest($1::text[]) model WHERE deal_sets.has_shape_of_car_words(model) IS NOT TRUE`,
      [MODELS],
    );
    expect(withheld).toEqual([]);
  });

  it.each([
    ...listOf(
      'sales@lakeside.example|EX lakesidemotors.com|EX lakeside.CARS today|www.lakeside|https://x.y/z|//x',
    ),
    ...listOf(
      'call 555-0123|call 555.0123|(510) 555-0100|5 1 0 5 5 5 0 1 0 0|+15105550100|1HGCM82633A004352|VIN KMHXX00XX1X2',
    ),
    ...listOf('<b>EX</b>|EX &amp; more|Bob&#39s|ЖEX|漢字|EX@L|EX=L|EX?|EX%20L|EX{1}|½ ton|ＥＸ'),
    ...['E\u0301\u0302X', 'EX\u200bL', 'EX\u202eL', 'EX\nL', 'EX\\L', 'x'.repeat(101), '🚗', ' '],
  ])('is not shown: %j', async (text) => {
    expect(await shownTrim(text)).toBeNull();
  });

  it.each(listOf('—|-|--|.|++|N/A|n/a|NaN|null|None|(none)|undefined|Unknown|UNKNOWN.|tbd'))(
    'is unknown where it states no value: %s',
    async (text) => {
      const parts = { make: text, model: text, trim: text, color: text };
      expect(await shown('Kestrel', parts)).toEqual([null, null, null, null]);
    },
  );

  it.each<[string, Parts, readonly (string | null)[]]>([
    [
      'Brookside Toyota, LLC',
      { make: 'Toyota', model: 'Camry', trim: 'Brookside Toyota XSE', color: 'Red' },
      ['Toyota', null, null, null],
    ],
    // The parts of the name that have the shape are joined, without the part that has not.
    [
      'Brookside Toyota',
      { make: 'Toyota', model: 'Camry; http://x', trim: 'Toyota', color: 'Brookside' },
      ['Toyota', null, null, null],
    ],
    // The signs that the shape of a part ignores are ignored in both.
    [
      'Brookside Toyota',
      { make: 'Toyota', model: 'Camry', trim: 'Brookside™ Toyota XSE' },
      ['Toyota', null, null, null],
    ],
    [
      'Brookside™ Toyota℠',
      { make: 'Toyota', model: 'Camry', trim: 'Brookside Toyota XSE' },
      ['Toyota', null, null, null],
    ],
    ['Red Civic', { make: 'Honda', model: 'Civic', color: 'Red' }, ['Honda', null, null, null]],
    // The make is not joined with the others.
    ['Honda Civic', { make: 'Honda', model: 'Civic' }, ['Honda', 'Civic', null, null]],
    ['Tesla', { make: 'Tesla', model: 'Model 3' }, [null, 'Model 3', null, null]],
    ['Tesla of Fremont', { make: 'Tesla', model: 'Model 3' }, ['Tesla', 'Model 3', null, null]],
    ['BMW', { make: 'BMW', model: 'X5', trim: 'BMW Edition' }, [null, 'X5', 'BMW Edition', null]],
    ['BMW', { make: 'BMW 3', model: 'X5', trim: 'bmw' }, ['BMW 3', null, null, null]],
  ])('is not shown when it contains the name %s', async (name, parts, expected) => {
    expect(await shown(name, parts)).toEqual(expected);
  });

  it.each([
    ['Lakeside Motors', 'EX LAKE-SIDE/motors!'],
    ['Lakeside Motors', 'exlakesidemotorsx'],
    ['Lakeside Motors, LLC', 'Lakeside Motors'],
    ['Lakeside Motors, L.L.C.', 'Lakeside Motors Special'],
    ['Lakeside Motors Co., Inc.', 'Lakeside Motors Special'],
    ['Lakeside Motors incorporated', 'Lakeside Motors Special'],
    ['Lakeside Motors Ltd', 'Lakeside Motors Special'],
    ['Lakeside\u00a0Motors\u00a0LLC', 'Lakeside Motors Special'],
    ['Company LLC', 'Company Edition'],
    ['O’Brien & Sons', 'OBrienAndSons'],
    ['O’Brien and Sons', "by O'Brien & Sons"],
    ['Müller Autos', 'von Muller Autos'],
    ['Ｌａｋｅｓｉｄｅ Motors', 'Lakeside Motors'],
    ['Bob', 'BOB'],
    ['Bob Co', 'Bob'],
  ])('is not shown when its letters contain those of %s: %s', async (name, text) => {
    expect(await shownTrim(text, name)).toBeNull();
  });

  it.each([
    ['Bob', 'Bobcat'],
    ['Lakeside Motors', 'Lakeside Sport'],
    ['Company LLC', 'LLC Edition'],
    ['Дилер LLC', 'LLC'],
    ['漢字', 'EX'],
  ])('is shown when its letters do not contain those of %s: %s', async (name, text) => {
    expect(await shownTrim(text, name)).toBe(text);
  });
});

interface Shown {
  readonly trim: string | null;
  readonly model: string | null;
  readonly miles: number | null;
  readonly cents: number | null;
}

const contents = async (id: string): Promise<Shown> => {
  const [row] = await database.query<Shown>(
    `SELECT shown_trim AS trim, shown_model AS model, shown_mileage AS miles,
       shown_listed_at_cents::float8 AS cents
     FROM deal_sets.price_check WHERE id = $1`,
    [id],
  );
  return row!;
};

describe('a listing', () => {
  it('has no mileage or price beyond the limits for cars, and no price below a dollar', async () => {
    const shop = dealership();
    const rows = [
      { mileage: 1_000_000, listedAtCents: 1_000_000_000 },
      { mileage: 1_000_001, listedAtCents: 1_000_000_001 },
      { mileage: 0, listedAtCents: 99 },
      { mileage: 0, listedAtCents: 100 },
    ].map((listing) => priceCheck({ buyerId: anna.id, dealershipId: shop.id, listing }));
    await insert(database, [shop, ...rows]);
    expect(await Promise.all(rows.map(({ id }) => contents(id)))).toMatchObject([
      { miles: 1_000_000, cents: 1_000_000_000 },
      { miles: null, cents: null },
      { miles: 0, cents: null },
      { miles: 0, cents: 100 },
    ]);
  });

  it('is decided when a part or the dealership gets another value; a writer can only withhold', async () => {
    const [kestrel, quarry] = [dealership({ name: 'Kestrel' }), dealership({ name: 'Quarry' })];
    const row = priceCheck({
      buyerId: anna.id,
      dealershipId: kestrel.id,
      listing: { model: 'CR-V', trim: 'EX Quarry' },
    });
    await insert(database, [kestrel, quarry, row]);
    const trimAfter = async (change: string): Promise<string | null> => {
      await database.query(`UPDATE deal_sets.price_check SET ${change} WHERE id = $1`, [row.id]);
      return (await contents(row.id)).trim;
    };
    expect(await trimAfter(`shown_trim = 'forged', shown_model = 'forged'`)).toBe('EX Quarry');
    expect(await contents(row.id)).toMatchObject({ model: 'CR-V' });
    expect(await trimAfter('shown_trim = NULL')).toBeNull();
    expect(await trimAfter(`shown_trim = ''`)).toBeNull();
    expect(await trimAfter('listing_mileage = 5, listing_year = 2020, otd_cents = 1')).toBeNull();
    expect(await trimAfter(`shown_trim = 'EX Quarry'`)).toBe('EX Quarry');
    expect(await trimAfter(`dealership_id = '${quarry.id}'`)).toBeNull();
    expect(await trimAfter(`shown_trim = 'EX Quarry'`)).toBeNull();
    expect(await trimAfter(`listing_trim = 'EX Pit'`)).toBe('EX Pit');
    expect(await trimAfter(`listing_trim = 'Quarry', shown_trim = 'Quarry'`)).toBeNull();
  });

  interface Connection {
    query(text: string, values?: unknown[]): Promise<unknown>;
  }
  const add = (on: Connection, row: ReturnType<typeof priceCheck>): Promise<unknown> =>
    insert({ query: (text, values) => on.query(text, [...values]) }, [row]);
  const rename = (on: Connection, id: string): Promise<unknown> =>
    on.query(`UPDATE deal_sets.dealership SET name = 'Quarry' WHERE id = $1`, [id]);

  /** A row whose trim names a dealership other than its own. */
  function rowNamingQuarry() {
    const shop = dealership({ name: 'Kestrel' });
    const listing = { trim: 'EX Quarry' };
    return { shop, row: priceCheck({ buyerId: anna.id, dealershipId: shop.id, listing }) };
  }

  async function withWriter(work: (writer: Client) => Promise<void>): Promise<void> {
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    await work(writer).finally(() => writer.end());
  }

  it.each([
    ['that another transaction adds meanwhile', 'adding'],
    ['that is added while the renaming is still open', 'renaming'],
  ])('is compared with the new name in a row %s', async (_which, begunFirst) => {
    const { shop, row } = rowNamingQuarry();
    await insert(database, [shop]);
    await withWriter(async (writer) => {
      await writer.query('BEGIN');
      const first = begunFirst === 'adding' ? add(writer, row) : rename(writer, shop.id);
      await first;
      const second = begunFirst === 'adding' ? rename(database, shop.id) : add(database, row);
      await untilLockWaits(database);
      await writer.query('COMMIT');
      await second;
    });
    expect(await contents(row.id)).toMatchObject({ trim: null });
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'is not decided by a writer at %s whose snapshot has the former name',
    async (level) => {
      const { shop, row } = rowNamingQuarry();
      await insert(database, [shop]);
      await withWriter(async (writer) => {
        await writer.query(`BEGIN ISOLATION LEVEL ${level}; SELECT FROM deal_sets.buyer`);
        await rename(database, shop.id);
        await expect(add(writer, row)).rejects.toMatchObject({ code: '40001' });
      });
    },
  );

  it.each([`name = 'Quarry'`, 'verified_partner = true'])(
    'keeps its dealership from a change to %s at another level than READ COMMITTED',
    async (change) => {
      const { shop } = rowNamingQuarry();
      await insert(database, [shop]);
      await withWriter(async (writer) => {
        await writer.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
        const changed = writer.query(`UPDATE deal_sets.dealership SET ${change} WHERE id = $1`, [
          shop.id,
        ]);
        await expect(changed).rejects.toMatchObject({
          message:
            'the name and the partner status of a dealership can be changed only at READ COMMITTED',
          hint: expect.stringContaining('snapshot') as string,
        });
      });
    },
  );

  it('keeps its dealership from leaving its id to another one', async () => {
    const { shop, row } = rowNamingQuarry();
    await insert(database, [shop, row]);
    const replaced = database.query(
      `WITH gone AS (DELETE FROM deal_sets.dealership WHERE id = $1 RETURNING id)
       INSERT INTO deal_sets.dealership (id, name) SELECT id, 'Quarry' FROM gone`,
      [shop.id],
    );
    await expect(replaced).rejects.toMatchObject({ constraint: 'price_check_dealership_id_fkey' });
  });

  it('is decided by its shape until its dealership arrives, on a logical replica', async () => {
    const { shop, row } = rowNamingQuarry();
    const before = async (records: Parameters<typeof insert>[1]): Promise<Shown> => {
      await database.query('BEGIN');
      await database.query('SET LOCAL session_replication_role = replica');
      await insert(database, records);
      await database.query('COMMIT');
      return contents(row.id);
    };
    expect(await before([row])).toMatchObject({ trim: 'EX Quarry' });
    expect(await before([{ ...shop, name: 'Quarry' }])).toMatchObject({ trim: null });
  });
});

describe('the database', () => {
  it.each([
    ['Lake\u202eside', 'name_without_control_or_direction_characters'],
    ['Lake\u0007side', 'name_without_control_or_direction_characters'],
    ['Lake\nside', 'name_without_control_or_direction_characters'],
    ['Bob&#39;s Auto', 'name_without_html_entity'],
    ['Smith &amp; Sons', 'name_without_html_entity'],
    ['<b>Lake</b>side Motors', 'name_without_html_tag'],
    ['Lakeside<br/>', 'name_without_html_tag'],
    [`<img alt='<' src=x>`, 'name_without_html_tag'],
    ['Lake <img src=x ', 'name_without_html_tag'],
    ['Lake <!--', 'name_without_html_tag'],
    [' \u200b', 'not_blank'],
  ])('rejects the name %j of a dealership, and says why', async (name, constraint) => {
    const added = insert(database, [dealership({ name })]);
    await expect(added).rejects.toMatchObject({ code: '23514', constraint });
  });

  it.each(['AT&T Motors', 'Smith & Sons; Ltd', 'A < B Motors', 'Lakeside 1 <3', 'Zażółć Auto'])(
    'accepts the name %j of a dealership',
    (name) => insert(database, [dealership({ name })]),
  );

  it.each([
    { promptId: 'a b' },
    { promptId: '' },
    { promptId: 'x'.repeat(65) },
    { category: '1_trade' },
    { category: 'trade in' },
    { answerMode: '_text' },
    { answerMode: 'é' },
  ])('rejects a question with %j', async (tokens) => {
    const shop = dealership();
    const set = dealSet({ buyerId: anna.id });
    const row = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: shop.id });
    await insert(database, [shop, set, row]);
    const added = insert(database, [question({ priceCheckId: row.id, ...tokens })]);
    await expect(added).rejects.toMatchObject({ code: '23514' });
    await insert(database, [
      question({ priceCheckId: row.id, promptId: '1:x.y-z_', category: 'Lakeside_Motors' }),
    ]);
  });
});

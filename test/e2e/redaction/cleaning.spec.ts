import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Client } from 'pg';
import { generateWorld } from '../../../src/world/world-generator.js';
import { buyer, dealership, dealSet, load, priceCheck } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { tells, tellsNumber, untold, type Identity } from './cleaning-reference.js';

interface Shown {
  year: number | null;
  make: string | null;
  model: string | null;
  trim: string | null;
  color: string | null;
  mileage: number | null;
  listed: string | null;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const shownOf = async (id: string): Promise<Shown> => {
  const [row] = await database.query<Shown & Record<string, unknown>>(
    `SELECT shown_year AS year, shown_make AS make, shown_model AS model, shown_trim AS trim,
       shown_exterior_color AS color, shown_mileage AS mileage, shown_listed_at_cents AS listed
     FROM price_check WHERE id = $1`,
    [id],
  );
  if (!row) throw new Error('no such price check');
  return row;
};

/** A request with one price check of each dealership; the first has the listing. */
async function requestOf(
  listing: Parameters<typeof priceCheck>[0]['listing'],
  ...identities: readonly Identity[]
): Promise<{ id: string; setId: string; buyerId: string; dealershipIds: string[] }> {
  const anna = buyer();
  const set = dealSet({ buyerId: anna.id });
  const dealerships = identities.map((identity) => dealership({ ...identity }));
  const rows = dealerships.map((dealer, index) =>
    priceCheck({
      buyerId: anna.id,
      dealSetId: set.id,
      dealershipId: dealer.id,
      listing: index === 0 ? listing : {},
    }),
  );
  await load(database, [anna, set, ...dealerships, ...rows]);
  return {
    id: rows[0]!.id,
    setId: set.id,
    buyerId: anna.id,
    dealershipIds: dealerships.map((dealer) => dealer.id),
  };
}

const plain: Identity = { name: 'Zebra Quarry' };
const fremont: Identity = {
  name: 'Honda of Fremont',
  phone: '(510) 555-0100',
  email: 'sales@fremont-honda.example',
  website: 'https://www.fremonthonda.example/inventory?x=1',
};

describe('a part of a listing is unknown when it carries', () => {
  it.each([
    ['the name', 'Honda of Fremont'],
    ['the name in other case', 'HONDA OF FREMONT'],
    ['the name among other words', 'EX-L (from Honda of Fremont!)'],
    ['the name with other punctuation', 'honda-of_fremont'],
    ['the name with letters of another width', 'Ｈｏｎｄａ ｏｆ Ｆｒｅｍｏｎｔ'],
    ['the name with mathematical letters', '𝐇𝐨𝐧𝐝𝐚 of 𝓕𝓻𝓮𝓶𝓸𝓷𝓽'],
    ['the name with invisible characters', 'Hon\u200bda\u00ad of\u2060 Fre\u200dmont'],
    ['the name with a named reference', 'Honda&nbsp;of&nbsp;Fremont'],
    ['the name with a reference that lacks its semicolon', 'Honda&nbspof&nbspFremont'],
    ['the name with decimal references', '&#72;onda of &#70;remont'],
    ['the name with hexadecimal references', '&#x48;onda of &#X46;remont'],
    ['the name with padded references', '&#00000000000072;onda of Fremont'],
    ['the name with decimal references without semicolons', '&#72onda of &#70remont'],
    ['the name encoded twice', '&amp;#72;onda of Fremont'],
    ['the name encoded five times', '&amp;amp;amp;amp;#72;onda of Fremont'],
    ['references that begin alike', '&#7 &#72;onda of Fremont'],
    ['the name glued to other text', 'visitHondaOfFremontToday'],
    ['the phone as it is written', '(510) 555-0100'],
    ['the phone with dots', 'call 510.555.0100 now'],
    ['the phone with a country code', '+1 510 555 0100'],
    ['the phone as one number', '5105550100'],
    ['the phone with an extension', '15105550100x42'],
    ['the phone in wide digits', '５１０-５５５-０１００'],
    ['the e-mail address', 'sales@fremont-honda.example'],
    ['the e-mail address in capitals', 'SALES@FREMONT-HONDA.EXAMPLE'],
    ['the website’s host', 'fremonthonda.example'],
    ['the website with www', 'see www.fremonthonda.example'],
    ['the website with a path', 'http://fremonthonda.example/used/42'],
  ])('%s', async (_what, text) => {
    expect(tells(text, [fremont])).toBe(true);
    for (const key of ['make', 'model', 'trim', 'exteriorColor'] as const) {
      const { id } = await requestOf({ year: 2024, [key]: text }, fremont);
      const shown = await shownOf(id);
      expect([shown.make, shown.model, shown.trim, shown.color]).toEqual([null, null, null, null]);
      expect(shown.year).toBe(2024);
    }
  });

  it.each<[string, string, Partial<Identity>]>([
    ['a name in letters that fold to several', 'STRASSE 7 AUTOS', { name: 'Straße 7 Autos' }],
    ['a name with the capital sharp s', 'strasse 7 autos', { name: 'STRAẞE 7 AUTOS' }],
    ['a name with a final sigma', 'ΟΔΟΣ.ΑΥΤΟ', { name: 'οδος αυτο' }],
    ['a name with a final sigma, glued', 'ΟΔΟΣΑΥΤΟΚΙΝΗΤΑ', { name: 'οδος αυτοκινητα' }],
    ['a name with ligatures', 'Oﬃce Auto Mart', { name: 'Office Auto Mart' }],
    ['a name in decomposed letters', 'Pen\u0303aloza', { name: 'Peñaloza' }],
    ['a name that is itself encoded', 'A and B', { name: 'A&nbsp;and&#32;B' }],
    ['a name that a reference of Windows-1252 spells', '&#138;koda Praha', { name: 'Škoda Praha' }],
    ['a reference that runs into the name', '&nbspCarvana', { name: 'Carvana' }],
    ['a name of one word', 'sold by CARVANA', { name: 'Carvana' }],
    ['a name of signs alone', ' ★ ★★', { name: '★★★' }],
    ['a name of two characters, alone', 'A1', { name: 'a 1' }],
    ['a phone of another spelling', '1-800-HONDA-4U', { phone: '800 honda 4u' }],
    ['a phone with a prefix for abroad', '510-555-0100', { phone: '00 1 (510) 555-0100 ext. 9' }],
    ['a phone of seven digits', '555.0100', { phone: '555-0100' }],
    [
      'a website written with blanks before it',
      'lake.example',
      { website: ' https://lake.example' },
    ],
    ['a website without a scheme', 'LAKE.example', { website: 'www.lake.example/a' }],
    [
      'a website with a port and a user',
      'lake.example',
      { website: 'http://u@lake.example:8080/' },
    ],
  ])('%s', async (_what, text, identity) => {
    const whole = { name: 'Zebra Quarry', ...identity };
    expect(tells(text, [whole])).toBe(true);
    expect((await shownOf((await requestOf({ trim: text }, whole)).id)).trim).toBeNull();
  });

  it.each<[string, Identity, Parameters<typeof priceCheck>[0]['listing'], Partial<Shown>]>([
    [
      'a mileage that is a phone',
      { name: 'Z', phone: '555-0100' },
      { mileage: 5550100 },
      { mileage: null },
    ],
    [
      'a mileage that rounds to a phone',
      { name: 'Z', phone: '555-0100' },
      { mileage: 5550149 },
      { mileage: null },
    ],
    [
      'a price in cents that is a phone',
      { name: 'Z', phone: '5105550100' },
      { listedAtCents: 5105550100 },
      { listed: null },
    ],
    [
      'a price in dollars that is a phone',
      { name: 'Z', phone: '5105550100' },
      { listedAtCents: 510555010012 },
      { listed: null },
    ],
    [
      'a price that rounds to a phone',
      { name: 'Z', phone: '5105550100' },
      { listedAtCents: 510555009950 },
      { listed: null },
    ],
    [
      'a year that is a name',
      { name: '2024' },
      { year: 2024, trim: 'EX' },
      { year: null, trim: 'EX' },
    ],
  ])('%s', async (_what, identity, listing, expected) => {
    expect(await shownOf((await requestOf(listing, identity)).id)).toMatchObject(expected);
  });

  it.each<[string, string, Parameters<typeof priceCheck>[0]['listing'], Partial<Shown>]>([
    [
      'model and trim',
      'Honda of Fremont',
      { exteriorColor: 'Blue', model: 'Honda of', trim: 'Fremont EX' },
      { color: 'Blue', model: 'Honda of', trim: null },
    ],
    [
      'colour and model, when there is no year between them',
      'Honda of Fremont',
      { exteriorColor: 'Honda of', model: 'Fremont', trim: 'EX' },
      { color: 'Honda of', model: null, trim: null },
    ],
    [
      'colour and year',
      'Club 2024',
      { exteriorColor: 'Club', year: 2024 },
      { color: null, year: 2024 },
    ],
    [
      'colour, model and trim, when another name stood between them',
      'Honda of Fremont',
      { exteriorColor: 'Honda', model: 'Honda of Fremont', trim: 'of Fremont' },
      { color: 'Honda', model: null, trim: null },
    ],
  ])('what a name is made up of together: %s', async (_what, name, listing, expected) => {
    expect(await shownOf((await requestOf(listing, { name })).id)).toMatchObject(expected);
  });

  it('what another dealership of the deal set is called', async () => {
    const { id } = await requestOf({ trim: 'EX, see Honda of Fremont' }, plain, fremont);
    expect((await shownOf(id)).trim).toBeNull();
  });
});

describe('an honest part stays', () => {
  it.each<[string, string, Partial<Identity>]>([
    ['a word of a name', 'Honda', { name: 'Honda of Fremont' }],
    ['the words of a name in another order', 'Fremont Honda', { name: 'Honda of Fremont' }],
    ['a word that contains a short name', 'Avalon', { name: 'A' }],
    ['words among which a short name is one', 'A 4 quattro', { name: 'A' }],
    ['a word that contains a name of one word', 'Fordham Edition', { name: 'Ford' }],
    ['a number that is part of a phone', '0100', { phone: '(510) 555-0100' }],
    ['a domain that ends alike', 'lake.example', { website: 'https://snowlake.example' }],
    ['signs beside a name of signs', '★★', { name: '★★★' }],
    ['what a phone that is none says', 'none given', { phone: 'none' }],
    ['an ampersand that is no reference', 'Town & Country', { name: 'Zebra & Quarry' }],
    ['a reference that nobody knows', 'EX &nosuch; L', {}],
  ])('%s', async (_what, text, identity) => {
    const whole = { name: 'Zebra Quarry', ...identity };
    expect(tells(text, [whole])).toBe(false);
    expect((await shownOf((await requestOf({ trim: text }, whole)).id)).trim).toBe(text);
  });

  it('beside another that no label puts next to it', async () => {
    const listing = { exteriorColor: 'Honda of', year: 2024, model: 'Fremont', make: 'Fremont' };
    const { id } = await requestOf(listing, { name: 'Honda of Fremont' });
    expect(await shownOf(id)).toMatchObject({
      color: 'Honda of',
      year: 2024,
      model: 'Fremont',
      make: 'Fremont',
    });
  });

  it('without the blanks around it, and is unknown when it is nothing else', async () => {
    const { id } = await requestOf(
      {
        make: ' \t\n',
        model: '\u200b\u00a0 Civic \u2003',
        trim: '\u2060\u3000\ufeff',
        exteriorColor: '',
      },
      plain,
    );
    expect(await shownOf(id)).toMatchObject({
      make: null,
      model: 'Civic',
      trim: null,
      color: null,
    });
  });

  it('in letters of another alphabet that look alike: nobody can tell', async () => {
    const { id } = await requestOf({ trim: 'Ноnda оf Frеmоnt' }, fremont);
    expect((await shownOf(id)).trim).toBe('Ноnda оf Frеmоnt');
  });
});

describe('whoever writes', () => {
  const tell = { trim: 'EX by Honda of Fremont' };

  it('an update of the listing is cleaned, and what was hidden comes back when it is honest again', async () => {
    const { id } = await requestOf({ trim: 'EX' }, fremont);
    await database.query('UPDATE price_check SET listing_trim = $2 WHERE id = $1', [id, tell.trim]);
    expect((await shownOf(id)).trim).toBeNull();
    await database.query(`UPDATE price_check SET listing_trim = 'LX' WHERE id = $1`, [id]);
    expect((await shownOf(id)).trim).toBe('LX');
  });

  it('nobody writes what is shown', async () => {
    const { id } = await requestOf(tell, fremont);
    await database.query(
      `UPDATE price_check SET shown_trim = listing_trim, shown_make = 'x', shown_verified_partner = true WHERE id = $1`,
      [id],
    );
    expect(await shownOf(id)).toMatchObject({ trim: null, make: null });
    const copy = randomUUID();
    await database.query(
      `INSERT INTO price_check (buyer_id, id, dealership_id, requested_at, listing_trim, shown_trim, shown_model)
       SELECT buyer_id, $2, dealership_id, now(), listing_trim, listing_trim, listing_trim FROM price_check WHERE id = $1`,
      [id, copy],
    );
    expect(await shownOf(copy)).toMatchObject({ trim: null, model: null });
  });

  it.each<[string, string]>([
    ['name', `name = 'Honda of Fremont'`],
    ['phone', `phone = '510 555 0100'`],
    ['e-mail address', `email = 'sales@lake.example'`],
    ['website', `website = 'https://lake.example'`],
  ])(
    'a dealership that takes another %s later hides what carries it, and gives it back',
    async (_what, change) => {
      const { id, dealershipIds } = await requestOf(
        {
          make: 'Honda',
          trim: 'EX by Honda of Fremont, 5105550100, sales@lake.example, lake.example',
        },
        plain,
        { name: 'Quarry Zebra' },
      );
      expect((await shownOf(id)).trim).not.toBeNull();
      await database.query(`UPDATE dealership SET ${change} WHERE id = $1`, [dealershipIds[1]]);
      expect(await shownOf(id)).toMatchObject({ trim: null, make: 'Honda' });
      await database.query(
        `UPDATE dealership SET name = 'Quarry Zebra', phone = NULL, email = NULL, website = NULL WHERE id = $1`,
        [dealershipIds[1]],
      );
      expect((await shownOf(id)).trim).not.toBeNull();
    },
  );

  it('nobody gets round a dealership’s keys by writing them', async () => {
    const { id, dealershipIds } = await requestOf(tell, fremont);
    await database.query(
      `UPDATE dealership SET whole_keys = '{}', loose_keys = '{}' WHERE id = $1`,
      [dealershipIds[0]],
    );
    await database.query(`UPDATE price_check SET listing_model = 'Civic' WHERE id = $1`, [id]);
    expect(await shownOf(id)).toMatchObject({ trim: null, model: 'Civic' });
  });

  it('a dealership that joins, leaves, or is exchanged for another settles all listings of the set', async () => {
    const { id, buyerId, setId } = await requestOf(tell, plain);
    expect((await shownOf(id)).trim).toBe(tell.trim);
    const other = dealership({ ...fremont });
    const row = priceCheck({ buyerId, dealSetId: setId, dealershipId: other.id, listing: {} });
    await load(database, [other, row]);
    expect((await shownOf(id)).trim).toBeNull();
    await database.query('UPDATE price_check SET deal_set_id = NULL WHERE id = $1', [row.id]);
    expect((await shownOf(id)).trim).toBe(tell.trim);
    await database.query('UPDATE price_check SET deal_set_id = $2 WHERE id = $1', [row.id, setId]);
    expect((await shownOf(id)).trim).toBeNull();
    await database.query('DELETE FROM price_check WHERE id = $1', [row.id]);
    expect((await shownOf(id)).trim).toBe(tell.trim);
    await database.query('UPDATE price_check SET dealership_id = $2 WHERE id = $1', [id, other.id]);
    expect((await shownOf(id)).trim).toBeNull();
  });

  it('a member of another request tells nothing of this one', async () => {
    const anna = buyer();
    const [honda, zebra] = [dealership({ ...fremont }), dealership({ ...plain })];
    const single = priceCheck({ buyerId: anna.id, dealershipId: zebra.id, listing: tell });
    const other = priceCheck({ buyerId: anna.id, dealershipId: honda.id, listing: {} });
    await load(database, [anna, honda, zebra, single, other]);
    expect((await shownOf(single.id)).trim).toBe(tell.trim);
  });
});

describe('writers at the same time', () => {
  const rival = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  /** Runs the first in a transaction, the second until it waits for it (or is done), then lets the first commit. */
  const meet = (first: string[], second: string[]): Promise<void> =>
    rival((one) =>
      rival(async (two) => {
        const { rows } = await two.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await one.query('BEGIN');
        for (const sql of first) await one.query(sql);
        let isDone = false;
        const running = (async () => {
          await two.query('BEGIN');
          for (const sql of second) await two.query(sql);
          await two.query('COMMIT');
        })().finally(() => (isDone = true));
        running.catch(() => undefined);
        await eventually(async () => {
          const [waiting] = await database.query<{ n: number }>(
            `SELECT cardinality(pg_blocking_pids($1)) AS n`,
            [rows[0]?.pid],
          );
          expect(isDone || (waiting?.n ?? 0) > 0).toBe(true);
        });
        await one.query('COMMIT');
        await running;
      }),
    );
  const insertOf = (
    buyerId: string,
    setId: string | null,
    dealershipId: string,
    id: string,
    trim: string,
  ): string =>
    `INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
     VALUES ('${buyerId}', '${id}', ${setId === null ? 'NULL' : `'${setId}'`}, '${dealershipId}', now(), '${trim}')`;
  const rename = (id: string): string =>
    `UPDATE dealership SET name = 'Honda of Fremont' WHERE id = '${id}'`;
  const told = 'EX by Honda of Fremont';

  it.each([true, false])(
    'a renaming and a new member of the dealership (renaming first: %s)',
    async (isFirst) => {
      const { buyerId, setId, dealershipIds } = await requestOf({}, plain, { name: 'Quarry' });
      const id = randomUUID();
      const insert = insertOf(buyerId, setId, dealershipIds[1]!, id, told);
      const renaming = rename(dealershipIds[1]!);
      await (isFirst ? meet([renaming], [insert]) : meet([insert], [renaming]));
      expect((await shownOf(id)).trim).toBeNull();
    },
  );

  it.each([true, false])(
    'a renaming and a new member of another dealership (renaming first: %s)',
    async (isFirst) => {
      const { buyerId, setId, dealershipIds } = await requestOf({}, plain, { name: 'Quarry' });
      const id = randomUUID();
      const insert = insertOf(buyerId, setId, dealershipIds[0]!, id, told);
      const renaming = rename(dealershipIds[1]!);
      await (isFirst ? meet([renaming], [insert]) : meet([insert], [renaming]));
      expect((await shownOf(id)).trim).toBeNull();
    },
  );

  it.each([true, false])(
    'a renaming and a listing that is rewritten (renaming first: %s)',
    async (isFirst) => {
      const { id, dealershipIds } = await requestOf({ trim: 'EX' }, plain, { name: 'Quarry' });
      const write = `UPDATE price_check SET listing_trim = '${told}' WHERE id = '${id}'`;
      const renaming = rename(dealershipIds[1]!);
      await (isFirst ? meet([renaming], [write]) : meet([write], [renaming]));
      expect((await shownOf(id)).trim).toBeNull();
    },
  );

  it.each([true, false])(
    'a renaming and a member that moves to another deal set (renaming first: %s)',
    async (isFirst) => {
      const from = await requestOf({}, plain, { name: 'Quarry' });
      const to = dealSet({ buyerId: from.buyerId });
      const other = dealership({ name: 'Third Party' });
      const teller = priceCheck({
        buyerId: from.buyerId,
        dealSetId: to.id,
        dealershipId: other.id,
        listing: { trim: told },
      });
      await load(database, [to, other, teller]);
      const move = `UPDATE price_check SET deal_set_id = '${to.id}' WHERE deal_set_id = '${from.setId}' AND dealership_id = '${from.dealershipIds[1]!}'`;
      const renaming = rename(from.dealershipIds[1]!);
      await (isFirst ? meet([renaming], [move]) : meet([move], [renaming]));
      expect((await shownOf(teller.id)).trim).toBeNull();
    },
  );

  it('two new members of one deal set, each telling the other’s name', async () => {
    const { buyerId, setId } = await requestOf({}, plain);
    const [one, two] = [
      dealership({ name: 'Honda of Fremont' }),
      dealership({ name: 'Subaru of Dublin' }),
    ];
    await load(database, [one, two]);
    const [first, second] = [randomUUID(), randomUUID()];
    await meet(
      [insertOf(buyerId, setId, one.id, first, 'EX, better than Subaru of Dublin')],
      [insertOf(buyerId, setId, two.id, second, 'EX, better than Honda of Fremont')],
    );
    expect([(await shownOf(first)).trim, (await shownOf(second)).trim]).toEqual([null, null]);
  });

  it('two dealerships of one deal set that take names at once', async () => {
    const { id, dealershipIds } = await requestOf(
      { model: 'Subaru of Dublin', trim: told },
      plain,
      { name: 'Quarry' },
      { name: 'Pit' },
    );
    await meet(
      [rename(dealershipIds[1]!)],
      [`UPDATE dealership SET name = 'Subaru of Dublin' WHERE id = '${dealershipIds[2]!}'`],
    );
    expect(await shownOf(id)).toMatchObject({ model: null, trim: null });
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'a writer with an old snapshot (%s) is refused',
    async (level) => {
      const { id, dealershipIds } = await requestOf({ trim: 'EX' }, plain);
      await rival(async (client) => {
        for (const sql of [
          rename(dealershipIds[0]!),
          `UPDATE price_check SET listing_trim = 'LX' WHERE id = '${id}'`,
        ]) {
          await client.query(`BEGIN ISOLATION LEVEL ${level}`);
          await expect(client.query(sql)).rejects.toMatchObject({ code: '25000' });
          await client.query('ROLLBACK');
        }
      });
    },
  );
});

describe('the database’s rule and the same rule in JavaScript', () => {
  const NAMES = [
    'Honda of Fremont',
    'Fremont Honda',
    'Carvana',
    'A',
    'A1',
    'Straße',
    'ΟΔΟΣ',
    '★★',
    'Ford',
    '2024',
    'Peñaloza Motors',
    'Šk',
    'A&amp;B',
  ];
  const piece = fc.oneof(
    fc.constantFrom(
      ...NAMES,
      'EX',
      'Sport',
      'Honda',
      'of',
      'Fremont',
      '510',
      '555',
      '0100',
      '5105550100',
      'lake.example',
      'sales@lake.example',
      'www.',
      '★',
    ),
    fc.constantFrom(
      ' ',
      '-',
      '.',
      '&',
      ';',
      '&nbsp;',
      '&nbsp',
      '&amp;',
      '&#72;',
      '&#x48',
      '&eacute;',
      '&szlig',
      '&#138;',
      '\u200b',
      'ﬁ',
      'ẞ',
      'σ',
      'İ',
      '１',
    ),
    // Scripts that every version of Unicode's tables agrees on.
    fc.string({
      unit: fc
        .oneof(
          fc.integer({ min: 0x20, max: 0x52f }),
          fc.integer({ min: 0x2010, max: 0x22ff }),
          fc.integer({ min: 0x4e00, max: 0x4fff }),
          fc.integer({ min: 0xff01, max: 0xff5e }),
        )
        .map((code) => String.fromCodePoint(code)),
      maxLength: 4,
    }),
  );
  const mangled = fc
    .array(piece, { minLength: 1, maxLength: 6 })
    .map((pieces) => pieces.join('').replace(/[\0\p{Surrogate}]/gu, ''));
  const part = fc.oneof(
    mangled,
    fc
      .tuple(mangled, fc.constantFrom('upper', 'lower', 'encode'))
      .map(([text, how]) =>
        how === 'upper'
          ? text.toUpperCase()
          : how === 'lower'
            ? text.toLowerCase()
            : text.replace(/[a-z]/g, (c) => `&#${c.charCodeAt(0)};`),
      ),
  );
  const identity: fc.Arbitrary<Identity> = fc.record({
    name: fc.oneof(
      fc.constantFrom(...NAMES),
      mangled.filter((text) => text.trim() !== '' && Array.from(text).length <= 300),
    ),
    phone: fc.constantFrom(
      null,
      '',
      '(510) 555-0100',
      '+1 510 555 0100 x3',
      '555-0100',
      '800-honda-4u',
      'none',
      '５１０５５５０１００',
    ),
    email: fc.constantFrom(null, '', 'sales@lake.example', 'a@b'),
    website: fc.constantFrom(
      null,
      '',
      'https://www.lake.example/x',
      ' lake.example:80',
      'http://u@LAKE.example',
    ),
  });

  it('say the same of thousands of parts and dealerships', async () => {
    const cases = fc.sample(
      fc.record({ identity, parts: fc.array(part, { minLength: 4, maxLength: 4 }) }),
      1_500,
    );
    await database.query(
      'CREATE TEMP TABLE said (place integer, whole_keys text[], loose_keys text[])',
    );
    const dealerships = cases.map(({ identity: made }, place) => ({
      id: randomUUID(),
      place,
      ...made,
    }));
    await database.query(
      `INSERT INTO dealership (id, name, phone, email, website)
       SELECT id, name, phone, email, website FROM json_to_recordset($1) AS d (id uuid, name text, phone text, email text, website text)`,
      [JSON.stringify(dealerships)],
    );
    const parts = cases.flatMap(({ parts: texts }, place) =>
      texts.map((text) => ({
        id: dealerships[place]!.id,
        place,
        text: Array.from(text).slice(0, 200).join(''),
      })),
    );
    const said = await database.query<{ place: number; text: string; is_told: boolean }>(
      `SELECT p.place, p.text, names_dealership(p.text, d.whole_keys, d.loose_keys) AS is_told
       FROM json_to_recordset($1) AS p (id uuid, place integer, text text) JOIN dealership d ON d.id = p.id`,
      [JSON.stringify(parts)],
    );
    expect(said.length).toBe(6_000);
    const differing = said.filter(
      ({ place, text, is_told }) => tells(text, [cases[place]!.identity]) !== is_told,
    );
    expect(
      differing.map(({ place, text, is_told }) => ({ text, is_told, of: cases[place]!.identity })),
    ).toEqual([]);
    const hidden = said.filter(({ is_told }) => is_told).length;
    expect(hidden).toBeGreaterThan(200);
    expect(hidden).toBeLessThan(4_000);
  });

  it('hide the same parts of a generated world, and no more than its few that tell', async () => {
    const world = await createTestDatabase();
    try {
      const records = [
        ...generateWorld({ buyers: 40, rows: 12, sets: 3, singles: 3, ended: 2, seed: 'cleaning' }),
      ];
      await load(world, records, { isBackfill: true });
      const rows = await world.query<
        Record<string, string | number | null> & { request: string; identities: Identity[] }
      >(
        `SELECT p.id, p.request_id AS request, p.listing_year, p.listing_make, p.listing_model, p.listing_trim,
           p.listing_exterior_color, p.listing_mileage, p.listing_listed_at_cents::float8 AS listing_listed_at_cents,
           p.shown_year, p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color, p.shown_mileage,
           p.shown_listed_at_cents::float8 AS shown_listed_at_cents,
           (SELECT json_agg(json_build_object('name', d.name, 'phone', d.phone, 'email', d.email, 'website', d.website))
            FROM price_check m JOIN dealership d ON d.id = m.dealership_id
            WHERE m.buyer_id = p.buyer_id AND m.request_id = p.request_id) AS identities
         FROM price_check p`,
      );
      expect(rows.length).toBeGreaterThan(1_500);
      let hidden = 0;
      for (const row of rows) {
        const honest = (name: string): string | null => {
          const written = row[`listing_${name}`] as string | null;
          return written === null || tells(written, row.identities) ? null : written;
        };
        const line = untold(
          {
            color: honest('exterior_color'),
            year: row['shown_year'] as number | null,
            model: honest('model'),
            trim: honest('trim'),
          },
          row.identities,
        );
        const expected = {
          make: honest('make'),
          exterior_color: line.color,
          model: line.model,
          trim: line.trim,
        };
        for (const [name, part] of Object.entries(expected)) {
          if (row[`listing_${name}`] !== null && part === null) hidden += 1;
          expect([row['id'], name, row[`shown_${name}`]]).toEqual([row['id'], name, part]);
        }
        for (const name of ['year', 'mileage', 'listed_at_cents']) {
          const written = row[`listing_${name}`] as number | null;
          const forms =
            written === null
              ? []
              : [
                  written,
                  Math.round(written / 100),
                  Math.floor(written / 100),
                  Math.round(written / 100) * 100,
                ];
          if (name === 'year') forms.length = Math.min(forms.length, 1);
          expect([row['id'], name, row[`shown_${name}`]]).toEqual([
            row['id'],
            name,
            tellsNumber(forms, row.identities) ? null : written,
          ]);
        }
      }
      // The world's makers write a dealership's name into three listings of a thousand.
      expect(hidden).toBeGreaterThan(0);
      expect(hidden).toBeLessThan(rows.length * 0.01);
    } finally {
      await world.drop();
    }
  });
});

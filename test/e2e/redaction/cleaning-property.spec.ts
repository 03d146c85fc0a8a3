import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { generateWorld } from '../../../src/world/world-generator.js';
import { buyer, load } from '../../builders/index.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import {
  carriesName,
  hasPattern,
  masked,
  recordName,
  tells,
  tellsNumber,
  withoutJoinedNames,
  type Identity,
} from './cleaning-reference.js';

/** Dealerships, each with four parts; fewer for a short run. */
const CASES = Number(process.env['REDACTION_CASES'] ?? 1_200);

const SIZES = { buyers: Math.ceil(CASES / 30), rows: 12, sets: 3, singles: 3, ended: 2 };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

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
      '1',
      '+1',
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
      // A blank name is refused where it is written.
      mangled.filter(
        (text) =>
          !/^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u.test(text) &&
          Array.from(text).length <= 300,
      ),
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

  it('say the same of thousands of parts, and of messages', async () => {
    const cases = fc.sample(
      fc.record({ identity, parts: fc.array(part, { minLength: 4, maxLength: 4 }) }),
      { numRuns: CASES, seed: PROPERTY_SEED },
    );
    const anna = buyer();
    await load(database, [anna]);
    const dealerships = cases.map(({ identity: made }) => ({ id: randomUUID(), ...made }));
    await database.query(
      `INSERT INTO dealership (id, name, phone, email, website)
       SELECT id, name, phone, email, website FROM json_to_recordset($1) AS d (id uuid, name text, phone text, email text, website text)`,
      [JSON.stringify(dealerships)],
    );
    const parts = cases.flatMap(({ parts: texts }, place) =>
      texts.map((text) => ({
        id: randomUUID(),
        dealershipId: dealerships[place]!.id,
        place,
        text: Array.from(text).slice(0, 200).join(''),
      })),
    );
    // Through the triggers: what the index does not find is not compared.
    await database.query(
      `INSERT INTO price_check (buyer_id, id, dealership_id, requested_at, listing_trim)
       SELECT $2, p.id, p."dealershipId", now(), p.text
       FROM json_to_recordset($1) AS p (id uuid, "dealershipId" uuid, text text)`,
      [JSON.stringify(parts), anna.id],
    );
    await database.query(
      `INSERT INTO question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
       SELECT $2, p.id, p.id, 'other', p.text, 'text', now()
       FROM json_to_recordset($1) AS p (id uuid, text text)`,
      [JSON.stringify(parts), anna.id],
    );
    const stored = await database.query<{
      id: string;
      trim: string | null;
      text: string;
      masked: string | null;
      blank: boolean;
    }>(
      `SELECT p.id, p.shown_trim AS trim, q.text, q.masked_text AS masked, listing_text(p.listing_trim) IS NULL AS blank
       FROM price_check p JOIN question q ON q.id = p.id`,
    );
    expect(stored.length).toBe(CASES * 4);
    const names = [...new Set(cases.map((one) => recordName(one.identity.name)))].filter(
      (name) => name !== null,
    );
    const placeOf = new Map<string, number>(parts.map(({ id, place }) => [id, place]));
    const differing = stored.flatMap(({ id, trim, text, masked: stars, blank }) => {
      const of = cases[placeOf.get(id)!]!.identity;
      const isHidden = tells(text, [of]) || carriesName(text, names) || hasPattern(text);
      const expected = masked(text, [of], names);
      return (blank || (trim === null) === isHidden) && stars === expected
        ? []
        : [{ text, isHidden, trim, stars, expected, of }];
    });
    expect(differing.slice(0, 5)).toEqual([]);
    const hidden = stored.filter(({ trim }) => trim === null).length;
    expect(hidden).toBeGreaterThan(CASES / 6);
    expect(hidden).toBeLessThan(CASES * 3.33);
  }, 120_000);

  it('hide the same parts of a generated world, and no more than its few with a name', async () => {
    const world = await createTestDatabase();
    try {
      const records = [...generateWorld({ ...SIZES, seed: 'cleaning' })];
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
      expect(rows.length).toBeGreaterThan(CASES * 1.25);
      const onRecord = await world.query<{ name: string }>('SELECT name FROM dealership');
      const names = onRecord.map(({ name }) => recordName(name)).filter((name) => name !== null);
      let hidden = 0;
      const differing: unknown[] = [];
      for (const row of rows) {
        const honest = (name: string): string | null => {
          const written = row[`listing_${name}`] as string | null;
          return written === null ||
            tells(written, row.identities) ||
            carriesName(written, names) ||
            hasPattern(written)
            ? null
            : written;
        };
        const line = withoutJoinedNames(
          {
            color: honest('exterior_color'),
            year: row['shown_year'] as number | null,
            make: honest('make'),
            model: honest('model'),
            trim: honest('trim'),
          },
          row.identities,
        );
        const expected = {
          make: line.make,
          exterior_color: line.color,
          model: line.model,
          trim: line.trim,
        };
        for (const [name, part] of Object.entries(expected)) {
          if (row[`listing_${name}`] !== null && part === null) hidden += 1;
          const shown = row[`shown_${name}`];
          if (shown !== part) differing.push({ id: row['id'], name, shown, part });
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
          const shown = row[`shown_${name}`];
          const expected = tellsNumber(forms, row.identities) ? null : written;
          if (shown !== expected) differing.push({ id: row['id'], name, shown, expected });
        }
      }
      expect(differing.slice(0, 5)).toEqual([]);
      // The world's makers write a dealership's name into three listings of a thousand.
      expect(hidden).toBeGreaterThan(0);
      expect(hidden).toBeLessThan(rows.length * 0.01);
    } finally {
      await world.drop();
    }
  }, 180_000);
});

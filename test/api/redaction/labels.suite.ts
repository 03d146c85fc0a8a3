import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { MODELS, PLAIN_TRIMS } from './car-words.js';

interface Listing {
  readonly year?: number;
  readonly make?: string;
  readonly model?: string;
  readonly trim?: string;
  readonly color?: string;
}

/**
 * What the parts of a listing reveal together, in the order in which a label prints them: color,
 * year, model and trim. The trim is withheld first, then the color and the model.
 */
describe('a label', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Returns which parts of the listing are shown. */
  async function shown(listing: Listing, name = 'Kestrel'): Promise<Listing> {
    const { year, make, model, trim, color } = listing;
    const [row] = await database.query<{ parts: (string | null)[] }>(
      `SELECT ARRAY[s.make, s.model, s.trim_level, s.color] AS parts
       FROM deal_sets.shown_parts($1, $2, $3, $4, $5, deal_sets.name_keys($6)) s`,
      [year, make, model, trim, color, name],
    );
    const values = [year, ...row!.parts];
    const keys = ['year', 'make', 'model', 'trim', 'color'];
    return Object.fromEntries(
      keys
        .map((key, place) => [key, values[place]])
        .filter(([, value]) => value !== null && value !== undefined),
    ) as Listing;
  }

  const car = { year: 2026, make: 'Honda', model: 'Civic', color: 'Red' };

  it.each<[string, Listing, readonly (keyof Listing)[]]>([
    ['with a blank', { ...car, model: 'Civic (415)', trim: '555 0100' }, ['trim']],
    ['that has no blank at its end', { ...car, model: 'Civic 415', trim: '5550100' }, ['trim']],
    ['after 1', { ...car, model: 'Civic +1', trim: '(415) 555 0100' }, ['trim']],
    ['that ends with the year', { ...car, color: 'Call 415 555' }, ['color']],
    ['without a year', { model: '555 0100', color: 'Call 415' }, ['color']],
    ['in color, model and trim', { model: '555', trim: '0100 EX', color: '415' }, ['trim']],
  ])('does not contain a telephone number %s', async (_which, listing, withheld) => {
    const rest = Object.entries(listing).filter(([key]) => !withheld.includes(key as 'trim'));
    expect(await shown(listing)).toEqual(Object.fromEntries(rest));
  });

  it.each<[string, Listing]>([
    ['begins with the year', { ...car, year: 1992, model: '300', trim: '1500' }],
    ['begins with 1 or 0', { ...car, model: 'C 123', trim: '555 0100' }],
    ['has a fourth digit 1 or 0', { ...car, model: 'C 415', trim: '155 0100' }],
    ['has other groups', { ...car, model: 'Ram 2500', trim: '350 900' }],
    ['is interrupted by letters', { ...car, model: 'C 415', trim: '555 x 0100' }],
    ['has more digits', { ...car, model: 'C 415', trim: '555 01001' }],
  ])('may contain a number that %s', async (_which, listing) => {
    expect(await shown(listing)).toEqual(listing);
  });

  it.each([
    ['over model and trim', '1HGCM8263', '3A004 352'],
    ['in groups in the trim', 'Civic', '1HGCM 8263 3A00 4352'],
    ['behind other words', 'Civic', 'VIN: 1hgcm-8263-3a00-4352 EX'],
    ['with X as its check digit', 'Civic 1M8GDM9A', 'X KP 042788'],
  ])('does not contain a VIN %s', async (_where, model, trim) => {
    expect(await shown({ ...car, model, trim })).toEqual({ ...car, model });
  });

  it('does not contain a VIN in the model', async () => {
    const model = '1HGCM 8263 3A00 4352';
    expect(await shown({ ...car, model, trim: 'EX' })).toEqual({ year: 2026, make: 'Honda' });
  });

  it.each([
    ['a wrong check digit', '1HGCM8264', '3A004 352'],
    ['a letter that VINs do not have', '1HGCM8263', '3AO04 352'],
    ['a letter among its last four characters', '1HGCM8263', '3A004 X52'],
    ['a tenth character that is no model year', 'Mercedes-Maybach S 600', 'C/K 1500 2500'],
    ['a tenth character that is no model year', 'Elantra', '350 HD 10360 GVWR'],
    ['an end inside a word', '1HGCM8263', '3A004 352EX'],
  ])('may contain a number that is no VIN because of %s', async (_what, model, trim) => {
    expect(await shown({ ...car, model, trim })).toEqual({ ...car, model, trim });
  });

  it.each([
    ['bayimports.', 'com'],
    ['bayimports.', 'com/1 EX'],
    ['Civic bay', '.com'],
    ['bayimports', '.auto'],
    ['w', 'ww.bay'],
  ])('does not contain a host that is divided into %j and %j', async (model, trim) => {
    expect(await shown({ ...car, model, trim })).toEqual({ ...car, model });
  });

  it.each<[string, Listing, readonly (keyof Listing)[]]>([
    [
      'Route 2026 Motors',
      { ...car, color: 'Route', model: 'Motors', trim: 'EX' },
      ['trim', 'color'],
    ],
    ['2026 Motors', { ...car, model: 'Motors' }, ['color', 'model']],
    ['Kestrel 2026', { ...car, color: 'Kestrel' }, ['color']],
    ['Civic Motors', { ...car, trim: 'Motors EX' }, ['trim']],
    ['2026 Civic Motors', { ...car, trim: 'Civic Motors' }, ['trim']],
    ['Red Civic Motors', { model: 'Civic', trim: 'Civic Motors', color: 'Red' }, ['trim']],
    ['Red Civic Civic Motors', { ...car, trim: 'Civic Motors' }, ['trim']],
  ])('does not contain the name %s', async (name, listing, withheld) => {
    const rest = Object.entries(listing).filter(([key]) => !withheld.includes(key as 'trim'));
    expect(await shown(listing, name)).toEqual(Object.fromEntries(rest));
  });

  it('loses no part for any usual model, alone or with each trim, beside any year', async () => {
    const colors = ['White', 'Black', 'Crystal Black Pearl', 'Gris Métallisé', 'Go Mango!'];
    const lost = await database.query(
      `WITH cars AS (
         SELECT model, t.trim, year, ($3::text[])[1 + (m.place + t.place + year) % cardinality($3)] AS color
         FROM unnest($1::text[]) WITH ORDINALITY m (model, place),
           unnest(array_prepend(NULL, $2::text[])) WITH ORDINALITY t (trim, place),
           generate_series(1990, 2028) year
         -- Every model beside every year, and with every trim beside three years.
         WHERE t.trim IS NULL OR (m.place + t.place + year) % 13 = 0
       )
       SELECT cars.* FROM cars CROSS JOIN LATERAL
         deal_sets.shown_parts(year, 'Honda', cars.model, trim, cars.color, '{lakesidemotors}') s
       WHERE (s.make, s.model, s.trim_level, s.color)
         IS DISTINCT FROM ('Honda', cars.model, normalize(trim, NFC), cars.color)`,
      [MODELS, PLAIN_TRIMS, colors],
    );
    expect(lost).toEqual([]);
  });
});

import { LEGAL_FORMS, withoutLegalForms } from '../../../src/deal-sets/domain/dealership-name.js';
import { HOST_ENDINGS, maskWords } from '../../../src/deal-sets/domain/masked-words.js';
import { UUID_SOURCE } from '../../../src/kernel/uuid.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** SQL checks listings and TypeScript masks messages, with patterns that are written in both. */
describe('the patterns of listings and of messages', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const ofDatabase = async (call: string, values: readonly string[]): Promise<unknown[]> => {
    const rows = await database.query<{ value: unknown }>(
      `SELECT ${call} AS value FROM unnest($1::text[]) WITH ORDINALITY w (word, place) ORDER BY place`,
      [values],
    );
    return rows.map(({ value }) => value);
  };

  it('find the same telephone numbers, VINs and hosts', async () => {
    const texts = [
      '510 555 0100|(510) 555-0100|5 1 0 5 5 5 0 1 0 0|+15105550100|555-0123|555.0123|5550123|123456789|1,2,3,4,5,6,7,8,9,0',
      '1HGCM82633A004352|KMHXX00XX1X2|1HGCM82633|ABCDEFGHIJK|A1B2C3DDDDD|x-1HGCM82633A004352-x|A1B2C3D4EE',
      'a.com|a.comma|lakeside.net now|l.org|x.us|x.io|x.co|x.cars|x.biz|x.info|x.information|ID.Buzz|www.x|//x|/x|x.de|.com',
      'EX-L|2.0T/AWD|812Superfast|F12berlinetta|XDRIVE40I/MSPORT|P400 MHEV|24,500|3.5L-V6-EcoBoost',
    ].flatMap((line) => line.split('|'));
    const found = await ofDatabase(
      `deal_sets.has_telephone_number(word) OR deal_sets.has_vin(word) OR deal_sets.has_host(word)`,
      texts,
    );
    const masked = texts.map((text) => maskWords(text, '') !== text);
    expect(found.map((is, place) => [texts[place], is])).toEqual(
      masked.map((is, place) => [texts[place], is]),
    );
    expect(new Set(masked)).toEqual(new Set([true, false]));
  });

  it('have the same list of host endings', async () => {
    const [list] = await database.query<{ ends: string }>(
      String.raw`SELECT substring(prosrc FROM '\((com[a-z|]*)\)') AS ends FROM pg_proc WHERE proname = 'has_host'`,
    );
    expect(list!.ends.split('|')).toEqual(HOST_ENDINGS);
  });

  it('have the same UUIDs, whose digits are no telephone number', async () => {
    const [pattern] = await database.query<{ uuid: string }>(
      `SELECT substring(prosrc FROM '[[]0-9a-f.*[{]12[}]') AS uuid FROM pg_proc WHERE proname = 'is_token_shown'`,
    );
    expect(pattern!.uuid).toBe(UUID_SOURCE);
  });

  it('have the same list of legal forms', async () => {
    const [list] = await database.query<{ forms: string }>(
      String.raw`SELECT substring(prosrc FROM '\((LLC[A-Za-z|]*)\)') AS forms FROM pg_proc WHERE proname = 'without_legal_forms'`,
    );
    expect(list!.forms.split('|')).toEqual(LEGAL_FORMS);
  });

  it('remove the same legal forms from the end of a name', async () => {
    const words = [
      ...LEGAL_FORMS,
      ...'Group|AG|SA|Autos|Bronco|And|Sons|Cinco|Corpo|Limit|PLC|Inco'.split('|'),
    ];
    const names = words.flatMap((word) => [
      word,
      `Lakeside ${word}`,
      `Lakeside, ${[...word].join('.').toUpperCase()}.`,
      `Lakeside & ${word.toLowerCase()}`,
      `Lakeside and ${word} `,
      `Lakeside (${word}) Co., Inc.`,
      `Lakeside${word}`,
      `Lakeside.${word}`,
      `Lakeside-${word}`,
      `${word} Lakeside`,
      `Lakeside\u00a0${word}`,
    ]);
    const removed = await ofDatabase(
      'deal_sets.name_key(deal_sets.without_legal_forms(deal_sets.folded(word)))',
      names,
    );
    const keys = await ofDatabase('deal_sets.name_key(word)', names.map(withoutLegalForms));
    const whole = await ofDatabase('deal_sets.name_key(word)', names);
    expect(removed.map((key, place) => [names[place], key || whole[place]])).toEqual(
      keys.map((key, place) => [names[place], key]),
    );
    expect(keys.filter((key) => key === 'lakeside').length).toBeGreaterThan(LEGAL_FORMS.length * 6);
  });
});

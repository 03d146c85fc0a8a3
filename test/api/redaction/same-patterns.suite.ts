import fc from 'fast-check';
import { CAR_ENDINGS, COMMON_ENDINGS } from '../../../src/deal-sets/domain/masking/host-endings.js';
import { foldText } from '../../../src/deal-sets/domain/masking/folded-text.js';
import { maskWords } from '../../../src/deal-sets/domain/masking/masked-words.js';
import { UUID_SOURCE } from '../../../src/kernel/uuid.js';
import { costGrowth, LARGEST_GROWTH, repeated } from '../../setup/cost-growth.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** Words of names, in the alphabets and spellings that both sides fold. */
const WORDS = [
  ...'Lakeside|O’Brannagh|Włodek|Sørensen|Müller|Straße|STRAẞE|Æther|Œuvre|Þór|İstanbul|ılgaz'.split(
    '|',
  ),
  ...'АВТОСАЛОН|Ёлка|ΑΥΤΟΚΊΝΗΤΑ|Νίκος|ԵՐԵՎԱՆ|東京モータース|ガレージ|서울자동차|כַּרְמֶל|سيارات|Ｆｕｌｌ'.split(
    '|',
  ),
];

const ENTITIES =
  '&amp; &#39; &#x27 &#8217; &amp;#39; &#038;#8217; &#x26;amp; &nbsp; &nbspx &eacute; &AElig; &lrm; &emsp13; &ampx &unknown; &#0; &#55296; &#1114112;'.split(
    ' ',
  );

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

  it('find in messages each telephone number and host that listings withhold', async () => {
    const texts = [
      '510 555 0100|(510) 555-0100|5 1 0 5 5 5 0 1 0 0|+15105550100|555-0123|555.0123|1,2,3,4,5,6,7,8,9,0',
      'a.com|lakeside.net now|l.org|x.us|x.io|x.co|x.cars|x.biz|x.info|www.x|//x|bayimports.ca|fremontcars.auto',
      'EX-L|2.0T/AWD|812Superfast|F12berlinetta|XDRIVE40I/MSPORT|P400 MHEV|24,500|3.5L-V6-EcoBoost|ID.Buzz',
    ].flatMap((line) => line.split('|'));
    const found = await ofDatabase(
      'deal_sets.has_telephone_number(word) OR deal_sets.has_host(word) OR deal_sets.has_long_host(word)',
      texts,
    );
    const withheld = texts.filter((_, place) => found[place]);
    expect(withheld.length).toBeGreaterThan(15);
    expect(withheld.filter((text) => maskWords(text, []) === text)).toEqual([]);
  });

  it.each([
    ['has_host', 'com', COMMON_ENDINGS],
    ['has_long_host', 'auto', CAR_ENDINGS],
  ])('have the same list of host endings: %s', async (name, first, endings) => {
    const [list] = await database.query<{ ends: string }>(
      String.raw`SELECT substring(prosrc FROM '\(($1:[a-z|]*)\)') AS ends FROM pg_proc WHERE proname = $1`.replace(
        '$1:',
        first,
      ),
      [name],
    );
    expect(list!.ends.split('|')).toEqual(endings);
  });

  it('have the same UUIDs, whose digits are no telephone number', async () => {
    const [pattern] = await database.query<{ uuid: string }>(
      `SELECT substring(prosrc FROM '[[]0-9a-f.*[{]12[}]') AS uuid FROM pg_proc WHERE proname = 'is_token_shown'`,
    );
    expect(pattern!.uuid).toBe(UUID_SOURCE);
  });

  it('fold a name into the same letters and digits', async () => {
    const names = fc.sample(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc
          .array(
            fc.constantFrom(...WORDS, ...ENTITIES, ..." .,-&()#;'’ʼ®™\u00ad\u200b\u0301\u0338½①Ⅳﬁ"),
            {
              maxLength: 12,
            },
          )
          .map((parts) => parts.join('')),
      ),
      { numRuns: 3_000, seed: PROPERTY_SEED },
    );
    const storable = [...new Set([...WORDS, ...names])].filter(
      (name) => name.isWellFormed() && !name.includes('\0'),
    );
    const keys = await ofDatabase('deal_sets.name_key(deal_sets.without_entities(word))', storable);
    // Messages are folded with the complete tables of Unicode, and so are the keys.
    const folded = keys.map((key) => foldText(String(key)).letters.text);
    expect(storable.map((name, place) => [name, folded[place]])).toEqual(
      storable.map((name) => [name, foldText(name).letters.text]),
    );
    expect(folded.filter((key) => key !== '').length).toBeGreaterThan(1_000);
  });

  it('fold each character of the Basic Multilingual Plane in the same way', async () => {
    const names = Array.from(
      { length: 0xffff },
      (_, code) => `x${String.fromCharCode(code + 1)}x`,
    ).filter((name) => name.isWellFormed());
    const keys = await ofDatabase('deal_sets.name_key(word)', names);
    const differing = names.filter(
      (name, place) => foldText(String(keys[place])).letters.text !== foldText(name).letters.text,
    );
    expect(differing).toEqual([]);
  });

  it('find each name in a message by its own keys', async () => {
    const names = WORDS.flatMap((word) => [
      `${word} Motors`,
      `The ${word} Store, Inc.`,
      `${word} & Sons LLC`,
      `<b class="name">${word}</b> Motors`,
    ]);
    const keys = (await ofDatabase('deal_sets.name_keys(word)', names)) as string[][];
    const inMessages = names.map((name) => name.replaceAll(/<[^>]*>/g, ''));
    const messages = inMessages.map((name, place) =>
      maskWords(`It is ${name} here.`, keys[place]!),
    );
    expect(messages.map((message, place) => [names[place], message])).toEqual(
      names.map((name) => [name, name.endsWith('Inc.') ? 'It is •••. here.' : 'It is ••• here.']),
    );
  });

  it('take no longer than a message is long, whatever the name is', async () => {
    const names = [
      'Smith Bros. & Sons',
      'A &&& B',
      'J. & B. Motors',
      'Smith, Jones, & Sons',
      'a'.repeat(300),
      '& '.repeat(150),
      `a${' ,co. , inc'.repeat(27)}z`,
    ];
    const keys = (await ofDatabase('deal_sets.name_keys(word)', names)) as string[][];
    for (const [place, name] of names.entries()) {
      for (const beginning of [name, name.slice(0, -1), name.slice(0, 2)]) {
        for (const unit of [' ', ' & ', '.', name]) {
          const growth = costGrowth(
            (text) => maskWords(text, keys[place]!),
            (length) => `${beginning}${repeated(unit, length)}`,
          );
          expect(growth).toBeLessThan(LARGEST_GROWTH);
        }
      }
    }
  });
});

import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** The forms in which a dealership's name is found in other text (`sql/name-keys.sql`). */
describe('the keys of a dealership’s name', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function keysOf(name: string | null): Promise<string[]> {
    const [row] = await database.query<{ keys: string[] }>(
      'SELECT deal_sets.name_keys($1) AS keys',
      [name],
    );
    return row!.keys.toSorted();
  }

  it.each([
    ['Lakeside Motors', ['lakesidemotors']],
    ['Smith Bros. & Sons', ['smithbrosandsons', 'smithbrossons']],
    ['Lakeside Motors Co., L.L.C.', ['lakesidemotors', 'lakesidemotorscollc']],
    ['Company LLC', ['company', 'companyllc']],
    ['LLC', ['llc']],
    ['Lakeside Motors - Sales', ['lakesidemotors', 'lakesidemotorssales']],
    ['Lakeside Motors – Sales', ['lakesidemotors', 'lakesidemotorssales']],
    ['Lakeside Motors #5', ['lakesidemotors', 'lakesidemotors5']],
    [
      'Lakeside Motors, Inc. (North)',
      ['lakesidemotors', 'lakesidemotorsinc', 'lakesidemotorsincnorth'],
    ],
    ['Lakes - Sales', ['lakessales']],
    ['Chevrolet - Lakeside', ['chevroletlakeside']],
    ['The Lakeside Store', ['lakesidestore', 'thelakesidestore']],
    ['The Lakes', ['thelakes']],
    ['The Volkswagen, Inc.', ['thevolkswagen', 'thevolkswageninc', 'volkswageninc']],
    ['Theodore Motors', ['theodoremotors']],
    ['Lake Holdings dba Bob', ['bob', 'lakeholdings', 'lakeholdingsdbabob']],
    ['Lake D/B/A The Ford Co', ['lakedbatheford', 'lakedbathefordco', 'theford', 'thefordco']],
    ['Adobada Motors', ['adobadamotors']],
    [
      'Bob&#39;s Auto &amp; Sons&nbsp;LLC',
      ['bobsautoandsons', 'bobsautoandsonsllc', 'bobsautosons', 'bobsautosonsllc'],
    ],
    ['M&uuml;ller &ndash; Sales Center', ['mullersalescenter']],
    ['<b>Lake</b>side Motors', ['blakebsidemotors', 'lakesidemotors']],
    ['&lt;i&gt;Lake&lt;/i&gt; dba Kite', ['ilakeidbakite', 'kite', 'lakedbakite']],
    ['Lake < Kite 5<6 > Motors', ['lakekite56motors']],
    ['★ ™', []],
    ['', []],
    [null, []],
  ])('are, for %j, %j', async (name, keys) => {
    expect(await keysOf(name)).toEqual(keys);
  });

  it.each([
    ['Włodek Sørensen Auto', 'wlodeksorensenauto'],
    ['Æther & Straße', 'aetherandstrasse'],
    ['ÐÞŒĦŦ Đuro', 'dthoehtduro'],
    ['İstanbul Ilgaz ılgaz', 'istanbulilgazilgaz'],
    ['Müller™ Autohaus®', 'mullerautohaus'],
    ['Ｌａｋｅｓｉｄｅ ﬁeld', 'lakesidefield'],
    ['La\u00adke\u200bside\u2060 \ufeffM\u0336o\u0336', 'lakesidemo'],
    ['Kuʻono Oʼahu', 'kuonooahu'],
    ['АВТОСАЛОН Ёлка', 'автосалонелка'],
    ['ΑΥΤΟΚΊΝΗΤΑ Νίκος', 'αυτοκινητανικοσ'],
    ['ԵՐԵՎԱՆ', 'երեվան'],
    ['東京モータース', '東京モータース'],
    ['כַּרְמֶל', 'כרמל'],
    ['١٢ سيارات', '١٢سيارات'],
    ['½ 🚗 ⓐ', '12a'],
  ])('consist of plain letters and digits of every alphabet: %s', async (name, key) => {
    expect(await keysOf(name)).toContain(key);
  });

  it.each(['THE INN & CO. INC. D/B/A LIMITED', 'THE INN, ЛИМ & CO. INC. D/B/A LIMITED Ë'])(
    'are the same in every collation: %s',
    async (name) => {
      // In Turkish, the lower case of "I" is "ı".
      const [row] = await database.query<{ plain: string[]; turkish: string[] }>(
        `SELECT deal_sets.name_keys($1 COLLATE "C") AS plain,
           deal_sets.name_keys($1 COLLATE "tr-x-icu") AS turkish`,
        [name],
      );
      expect(row!.turkish).toEqual(row!.plain);
      expect(row!.plain).toContain(name.includes('Ë') ? 'limitede' : 'limited');
    },
  );
});

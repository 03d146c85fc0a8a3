import { tells, type Identity } from './cleaning-reference.js';
import { cleaningWorld, fremont, plain, type Listing, type Shown } from './cleaning-world.js';

const { shownOf, requestOf } = cleaningWorld();

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

  it.each<[string, Identity, Listing, Partial<Shown>]>([
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

  it.each<[string, string, Listing, Partial<Shown>]>([
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
    [
      'colour and trim, when a VIN is between them',
      'Honda of Hayward',
      { exteriorColor: 'Honda of', model: '1HGCM82633A004352', trim: 'Hayward EX' },
      { color: 'Honda of', model: null, trim: null },
    ],
    [
      'make and trim, when an address is between them',
      'Rimgate Auto',
      { make: 'Rimgate', model: 'a@rim.example', trim: 'Auto' },
      { make: 'Rimgate', model: null, trim: null },
    ],
  ])('what a name is made up of together: %s', async (_what, name, listing, expected) => {
    expect(await shownOf((await requestOf(listing, { name })).id)).toMatchObject(expected);
  });

  it('what another dealership of the deal set is called', async () => {
    const { id } = await requestOf({ trim: 'EX, see Honda of Fremont' }, plain, fremont);
    expect((await shownOf(id)).trim).toBeNull();
  });
});

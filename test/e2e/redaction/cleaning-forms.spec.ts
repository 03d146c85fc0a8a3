import { carriesName, hasPattern, recordName, tells, type Identity } from './cleaning-reference.js';
import { cleaningWorld, type Listing, type Shown } from './cleaning-world.js';

const world = cleaningWorld();
const { shownOf, requestOf } = world;

const plain: Identity = { name: 'Zebraquarry' };

describe('a part is unknown when it has the form of', () => {
  it.each([
    ['a VIN', '1HGCM82633A004352'],
    ['a VIN in small letters among words', 'EX-L vin:1hgcm82633a004352 clean'],
    ['a telephone number with parentheses', 'EX (415) 867-5309'],
    ['a telephone number with dots and a country code', '+1.415.867.5309'],
    ['a telephone number without separators', 'call 4158675309'],
    ['a telephone number with hyphens that do not break', '415‑867‑5309'],
    ['a telephone number over several lines', 'call 415\n867\t5309'],
    ['a telephone number with control characters', '415\u0004867\u00855309'],
    ['a telephone number with middle dots', '415·867•5309'],
    ['a telephone number in Arabic digits', '٤١٥-٨٦٧-٥٣٠٩'],
    ['a telephone number in digits of another width', '４１５ ８６７ ５３０９'],
    ['an e-mail address', 'EX bob@somewhere.example'],
    ['an e-mail address with a reference', 'bob&#64;somewhere.example'],
    ['an e-mail address with a named reference', 'bob&commat;somewhere.example'],
    ['a VIN with a named soft hyphen', '1HGCM82&shy;633A004352'],
    ['a URL with named references', 'tel&colon;&sol;&sol;x'],
    ['a host with named references', 'somewhere&period;example&sol;42'],
    ['a URL with a scheme', 'see https://somewhere.example'],
    ['a URL of another scheme', 'tel://x'],
    ['a host with www', 'WWW.somewhere'],
    ['a host with a path', 'somewhere.example/42'],
    ['a host with a port and a path', 'somewhere.example:8080/'],
    ['a host in Cyrillic with a path', 'авто.рф/42'],
  ])('%s', async (_what, text) => {
    expect(hasPattern(text)).toBe(true);
    for (const key of ['make', 'model', 'trim', 'exteriorColor'] as const) {
      const { id } = await requestOf({ year: 2024, [key]: text }, plain);
      const shown = await shownOf(id);
      expect([shown.make, shown.model, shown.trim, shown.color, shown.year]).toEqual([
        null,
        null,
        null,
        null,
        2024,
      ]);
    }
  });

  it.each<[string, Listing]>([
    ['its own VIN', { vin: 'KMHXX00XXXX', trim: 'SEL kmhxx00-xxxx' }],
    ['its own URL', { url: 'https://lot.example', trim: 'see https lot example' }],
    ['its own URL without the scheme', { url: 'https://www.lot7.example', trim: 'lot7 . example' }],
    ['its own image URL', { imageUrl: 'http://cdn.example/a/7', trim: 'cdn example a 7' }],
  ])('%s', async (_what, listing) => {
    const { id } = await requestOf(listing, plain);
    expect((await shownOf(id)).trim).toBeNull();
  });

  it('its own VIN when the VIN is written later, and is shown when it leaves', async () => {
    const { id } = await requestOf({ trim: 'lot KMHXX00XXXX' }, plain);
    const write = (vin: string): Promise<unknown> =>
      world.database.query('UPDATE price_check SET listing_vin = $2 WHERE id = $1', [id, vin]);
    expect((await shownOf(id)).trim).toBe('lot KMHXX00XXXX');
    await write('KMHXX00XXXX');
    expect((await shownOf(id)).trim).toBeNull();
    await write('KMHXX00XXXY');
    expect((await shownOf(id)).trim).toBe('lot KMHXX00XXXX');
  });

  it('not a number: mileage and price have no form', async () => {
    const listing = { mileage: 4158675, listedAtCents: 4_158_675_309 };
    const { id } = await requestOf(listing, plain);
    expect(await shownOf(id)).toMatchObject({ mileage: 4158675, listed: '4158675309' });
  });

  it('not two parts that have it together', async () => {
    const { id } = await requestOf({ model: 'Line 415', trim: '867 5309' }, plain);
    expect(await shownOf(id)).toMatchObject({ model: 'Line 415', trim: '867 5309' });
  });
});

describe('an identifier of the request is recognised with', () => {
  it.each<[string, string, Partial<Identity>]>([
    ['an ampersand for a word', 'Smythe & Daughters', { name: 'Smythe and Daughters' }],
    ['a word for an ampersand', 'Smythe and Sons', { name: 'Smythe &amp; Sons' }],
    ['a wide ampersand', 'Smythe＆Nieces', { name: 'Smythe and Nieces' }],
    ['its legal form left out', 'by Rimrock Motors', { name: 'Rimrock Motors, LLC' }],
    ['two legal forms left out', 'by Rimridge Motors', { name: 'Rimridge Motors Co. Inc.' }],
    ['another legal form', 'Rimside Motors Corp', { name: 'Rimside Motors GmbH' }],
    [
      'its legal form with dots left out',
      'by Rimbrook Motors',
      { name: 'Rimbrook Motors, L.L.C.' },
    ],
    ['two legal forms with dots left out', 'Rimvale Cars', { name: 'Rimvale Cars Co., G.m.b.H.' }],
    ['its legal form with dots, when it has one word', 'Rimdale LLC', { name: 'Rimdale L.L.C.' }],
    ['a trademark sign added', 'by Zorrete™', { name: 'Zorrete' }],
    ['a service mark left out', 'Zorrata Cars', { name: 'Zorrata&#8480; Cars' }],
    ['its accents left out', 'Penaloza', { name: 'Peñaloza' }],
    ['accents added', 'Cárvána', { name: 'Carvana' }],
    ['a Hangul filler inside', 'Zor\u3164illa', { name: 'Zorilla' }],
    ['a half-width filler and a variation selector', 'Zo\uffa0rri\ufe0fllo', { name: 'Zorrillo' }],
    ['a tag character inside', 'Zorr\u{e0041}inho', { name: 'Zorrinho' }],
    ['digits of another script', 'Auto ٧٧٧', { name: 'Auto 777' }],
    ['another mailbox', 'parts at sea-cars.example', { email: 'sales@sea-cars.example' }],
    ['its registered domain', 'shop.bay.example', { website: 'https://www.new.bay.example/x' }],
    ['a domain under co', 'bay.co.uk', { website: 'new.bay.co.uk' }],
  ])('%s', async (_what, text, identity) => {
    const one = { ...plain, ...identity };
    expect(tells(text, [one])).toBe(true);
    expect((await shownOf((await requestOf({ trim: text }, one)).id)).trim).toBeNull();
  });

  it.each<[string, Listing, Partial<Shown>]>([
    ['make and model', { make: 'Rimpeak', model: 'Auto' }, { make: 'Rimpeak', model: null }],
    [
      'make, model and trim',
      { year: 2024, make: 'Rim', model: 'peak', trim: 'Auto EX' },
      { make: 'Rim', model: 'peak', trim: null },
    ],
  ])('its name divided between %s', async (_what, listing, expected) => {
    const { id } = await requestOf(listing, { name: 'Rimpeak Auto' });
    // The name is on record now, but parts are compared joined with names of their own request alone.
    expect(await shownOf(id)).toMatchObject(expected);
    const other = await requestOf(listing, plain);
    expect(await shownOf(other.id)).toMatchObject({ model: listing?.model ?? null });
  });
});

describe('a name on record of a dealership of other requests', () => {
  const recorded = 'Gullwing Harbor Cars LLC';

  it.each([
    ['among other words', 'EX by Gullwing-Harbor Cars!', true],
    ['as one word', 'GULLWINGHARBORCARS', true],
    ['with a named invisible character inside', 'EX Gull&zwnj;wing Harbor Cars', true],
    ['with a trademark sign', 'Gullwing Harbor™ Cars', true],
    ['glued to other text', 'visitGullwingHarborCarsToday', false],
    ['in part', 'Gullwing Harbor', false],
  ])('%s', async (_what, text, isHidden) => {
    await requestOf({}, { name: recorded });
    expect(carriesName(text, [recordName(recorded) ?? ''])).toBe(isHidden);
    expect((await shownOf((await requestOf({ trim: text }, plain)).id)).trim).toBe(
      isHidden ? null : text,
    );
  });

  it('is compared when the listing is written: a later name leaves it as it is until it is compared anew', async () => {
    const { id, buyerId, setId } = await requestOf({ trim: 'EX Later Known Cars' }, plain);
    await requestOf({}, { name: 'Later Known Cars' });
    expect((await shownOf(id)).trim).toBe('EX Later Known Cars');
    await world.database.query('SELECT clean_listings($1, $2)', [[buyerId], [setId]]);
    expect((await shownOf(id)).trim).toBeNull();
  });
});

describe('stays, however dealerships are called', () => {
  const names = [
    'Smith & Co',
    'Smith Inc',
    'High Country LLC',
    'King Ranch',
    'Crystal Black',
    'Scat Pack',
    'Extended Cab',
    'Toyota Racing Edition',
  ];

  it.each([
    'Toyota Racing Edition',
    'Smith Blue',
    'Crystal Black Pearl',
    'R/T Scat Pack',
    '2.0T/AWD',
    'Silverado 2500 HD Extended Cab',
    'High Country',
    'King Ranch',
  ])('%s', async (text) => {
    for (const name of names) await requestOf({}, { name });
    expect(hasPattern(text)).toBe(false);
    const { id } = await requestOf(
      { make: text, model: text, trim: text, exteriorColor: text },
      { name: 'Zebraquarry', phone: '(250) 025-0000', website: 'https://www.toyota.example' },
    );
    expect(await shownOf(id)).toMatchObject({ make: text, model: text, trim: text, color: text });
  });

  it.each<[string, string, Partial<Identity>]>([
    ['a mailbox at a provider that everyone uses', 'gmail.com', { email: 'honda@gmail.com' }],
    ['a second label of many domains', 'co.uk', { website: 'https://bay.co.uk' }],
    ['the end of an address in numbers', '10 20', { website: 'http://192.168.10.20' }],
    ['a short own VIN', 'SEL 1234567', { name: 'Zebraquarry' }],
    ['sixteen letters and digits', 'ABCDEFGH12345678', {}],
    ['seventeen letters', 'ABCDEFGHABCDEFGHA', {}],
    ['eleven digits in a row without a country code', '41586753099', {}],
  ])('%s', async (_what, text, identity) => {
    const listing = { trim: text, vin: text.slice(-7) };
    expect((await shownOf((await requestOf(listing, { ...plain, ...identity })).id)).trim).toBe(
      text,
    );
  });
});

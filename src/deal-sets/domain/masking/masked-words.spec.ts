import fc from 'fast-check';
import { maskWords } from './masked-words.js';

/** Sentences around a text that must be shown whole. */
const SENTENCES = ['%', 'Is the % still there?', 'We have it. % Please reply.', 'So 2026 %, ok?'];
const inSentences = (text: string): string[] =>
  SENTENCES.map((sentence) => sentence.replace('%', () => text));

describe('maskWords', () => {
  it.each(['\ufdfa'.repeat(10_000), `${'\ufdfb'.repeat(40)} blue`])(
    'masks a text whole whose characters stand for phrases',
    (text) => expect(maskWords(text, ['lakesidemotors'])).toBe('•••'),
  );

  it.each(['\ufdfa', '각'.repeat(10_000), 'Ⅷ ½ ㎏ ㍿ ㌖', 'ﷺ peace be upon him'])(
    'shows other text of such characters: %#',
    (text) => expect(maskWords(text, ['lakesidemotors'])).toBe(text),
  );

  describe('masks a name', () => {
    it.each([
      ['OBrannagh Chevrolet has the blue one', '••• has the blue one'],
      ['It is O&#39;Brannagh Chevrolet.', 'It is •••.'],
      ["Ask O'Brannagh-Chevrolet now", 'Ask ••• now'],
      ["**O'Brannagh** Chevrolet", '**•••'],
      ['O`Brannagh Chevrolet', '•••'],
      ['O´Brannagh Chevrolet', '•••'],
      ['O′Brannagh Chevrolet', '•••'],
      ["O'Bran\u00adnagh Che\u200bvrolet", '•••'],
      ['O’BRANNAGH\nCHEVROLET!', '•••!'],
      ['find obrannaghchevrolet online', 'find ••• online'],
      ['atOBrannaghChevroletof', 'at•••of'],
      ['Ｏ Ｂｒａｎｎａｇｈ Chevrole\u0301t\u0301.', '•••.'],
      ['O Brannagh Chevrolet™&shy;\u00ad, O Brannagh Chevrolet', '•••, •••'],
    ])('however it is written: %j', (text, shown) => {
      expect(maskWords(text, ['obrannaghchevrolet'])).toBe(shown);
    });

    it.each([
      ['ford', 'Ford, FORD or Fórd', '•••, ••• or •••'],
      ['ford', 'callFordToday', 'call•••Today'],
      ['jr', 'by J.R. or JR', 'by •••. or •••'],
      ['aandb', 'by A&B, a and b', 'by •••, •••'],
      ['дилер', 'салон Дилер, тут', 'салон •••, тут'],
      ['漢字', 'by 漢字 now', 'by ••• now'],
    ])('of under eight characters as a word: %s in %j', (key, text, shown) => {
      expect(maskWords(text, [key])).toBe(shown);
    });

    it.each([
      ['ford', 'afford Fordham BFORD ford2 2ford'],
      ['nd', 'S&T'],
      ['s', 'ß'],
      ['lakeside', 'lake beside'],
      ['', 'anything'],
    ])('not of %j in %j', (key, text) => expect(maskWords(text, [key])).toBe(text));

    it.each([
      ["<b>O'Brannagh</b> Chevrolet", '<b>•••'],
      [
        'O\'Brannagh<br/>Chevrolet, O\'Brannagh <span style="x">Chevrolet</span>',
        '•••, •••</span>',
      ],
      ["&lt;b&gt;O'Brannagh&lt;/b&gt; Chevrolet", '&lt;b&gt;•••'],
      ["O'Bran<!-- -->nagh <b>Chevro<i>let</i></b>", '•••</i></b>'],
      ['<a title="OBrannagh Chevrolet">here</a>', '<a title="•••">here</a>'],
      ['call 415-<b>555</b>-0142 or bob@<i>lake.com</i>', 'call ••• or •••</i>'],
    ])('and contacts that HTML tags divide or contain: %j', (text, shown) => {
      expect(maskWords(text, ['obrannaghchevrolet'])).toBe(shown);
    });

    it.each(['<b>The</b> blue one', 'Is it < 5 miles, and > 2?', 'a<b and c>d', '<3 it'])(
      'and no tag: %j',
      (text) => expect(maskWords(text, ['obrannaghchevrolet'])).toBe(text),
    );

    it.each([
      'Lakeside&lrm; M&#111;tors',
      'Lakeside&nbspMotors',
      'Lake&ZeroWidthSpace;side&emsp13;Motors',
      'Lakeside&amp;nbsp;Motors',
    ])('that contains an HTML entity: %j', (text) => {
      expect(maskWords(`at ${text}!`, ['lakesidemotors'])).toBe('at •••!');
    });

    it('with the longest of its keys', () => {
      const keys = ['lakesidemotors', 'lakesidemotorsllc'];
      expect(maskWords('Bob at Lakeside Motors L.L.C. here', keys)).toBe('Bob at •••. here');
      expect(maskWords('Bob at Lakeside Motors, here', keys)).toBe('Bob at •••, here');
    });

    it('of generated letters, wherever blanks, punctuation and marks are between them', () => {
      const letters = fc.array(fc.constantFrom(...'abcxyz019жλ漢'), {
        minLength: 8,
        maxLength: 40,
      });
      const between = fc.array(fc.constantFrom('', '', ' ', '-', '’', '\u0301', '\u00ad', '. '), {
        minLength: 41,
        maxLength: 41,
      });
      fc.assert(
        fc.property(letters, between, (key, signs) => {
          const name = key.map((letter, place) => `${letter}${signs[place]!}`).join('');
          expect(maskWords(`x${name}x`, [key.join('')])).toMatch(/^[^a-z0-9жλ漢]*x?•••/);
        }),
      );
    });
  });

  describe('masks contacts', () => {
    it.each([
      ['Write to bob.o+x@cars.example, please', 'Write to •••, please'],
      ['a@b@c.example now', '••• now'],
      ['漢字bob@cars.example漢', '•••'],
      ['quill @ gmail.com', '•••'],
      ['sales at gmail dot com', '•••'],
      ['sales (at) quillauto [dot] example', '•••'],
      ['See https://lakeside.example/x?y=1 now', 'See ••• now'],
      ['On lakesidemotors.com/inventory today', 'On ••• today'],
      ['www.lakeside.dealer', '•••'],
      ['Write to us...lakeside.com.', 'Write to us...•••.'],
      ['find us at quillautohaus.auto', 'find us at •••'],
      ['bit.ly/3xYz9 or t.me/quillauto', '••• or •••'],
      ['a1.shop, b.dealer; lot.ca x.vip y.dev', '•••, •••; ••• ••• •••'],
      ['FremontHonda.Com, Quill.Auto/used', '•••, •••'],
      ['quillautohaus.comCall us', '•••Call us'],
      ['quillautohaus．ｃｏｍ and quill。com', '••• and •••'],
      ['автосалон.рф, quill.xn--p1ai', '•••, •••'],
      ['quill.com:8080quill.net/a.co/b.io!!', '•••!!'],
      ['our site is quillautohaus dot com', 'our site is •••'],
      ['quillautohausdotcom', '•••'],
      ['follow us on Instagram @quillautohaus!', 'follow us on Instagram •••!'],
      ['IG: quill_auto', 'IG: •••'],
      ['Call (555) 010-1234 9 to 5', 'Call ••• to 5'],
      ['Call 555-0123.', 'Call •••.'],
      ['Call 555–0123 or 555‑0124', 'Call ••• or •••'],
      ['call us at 555 0100 or 5550101', 'call us at •••'],
      ['４１５－５５５－０１００', '•••'],
      ['٤١٥٥٥٥٠١٠٠', '•••'],
      ['5 1 0 5 5 5 0 1 0 0', '•••'],
      ['+49 30 1234567', '•••'],
      ['41&#53;.5&#x35;5.0100', '•••'],
      ['call 1-833-QUILLCARS, (800) GO-FORDS or 1-415-go-honda', 'call •••, ••• or •••'],
      ['call 1‑833‑QUILLCARS, 1−833−GO–FORDS or 833–QUILLCARS', 'call •••, ••• or •••'],
      ['call (800)-GO-FORDS or (800)‑QUILLCARS', 'call ••• or •••'],
      ['VIN 1HGCM82633A004352 here', 'VIN ••• here'],
      ['1HGCM 82633 A004352', '•••'],
      ['vin 1hgcm-8263-3a00-4352.', 'vin •••.'],
      [
        'our lot is at 4021 Larkmeadow Parkway, Quillton, TN 37000',
        'our lot is at •••, Quillton, •••',
      ],
      ['22 S. Umber Hwy, Mt. Zephyr FL 33000-1234', '•••, Mt. Zephyr •••'],
      ['the 2024 Civic at 4021 larkmeadow rd. now', 'the 2024 Civic at ••• now'],
      ['5500 US Highway 19 N; 4021-B Umber Trail', '•••; •••'],
      ['Quillton,TN37000 or Quillton, Tennessee 370001234', 'Quillton,••• or Quillton, •••'],
      ['call 833QUILLCARS', 'call •••'],
      ['1200 Broadway, 12 Route 9, 5 N 3rd St', '•••, •••, •••'],
    ])('in %j', (text, shown) => expect(maskWords(text, [])).toBe(shown));

    it.each(
      [
        'available.It',
        '31,500.Do you',
        'miles.So',
        '2024 CR-V all wheel drive',
        '2 test drives',
        '31500 OR 30500 with trade',
        'OK 31500 works',
        '0.9% @ 60 months',
        '2026 Park Avenue',
        'fortwo electric drive',
        '2024 Colorado Trail Boss',
        '4 umber way',
        'Toyota Racing Edition',
        'Smith Blue',
        'R/T Scat Pack',
        '2.0T/AWD',
        'Silverado 2500 HD Extended Cab',
        'ProMaster 2500 159" WB',
        'Crew Cab 147" 1500 SLT',
        '3.5L-V6-EcoBoost',
        `XLT 6.7L V8 4x4 6.75' Bed`,
        'C/K 1500 2500',
        'w/Tech.Pkg',
        '6-Spd.Auto',
        'L.L.Bean',
        '812Superfast',
        'XDRIVE40I/MSPORT',
        'ID.Buzz',
        'F12berlinetta',
        'e-tron® GT',
        'Limited®',
        'SE – Sport',
        'Rock ’n’ Roll',
        'up!',
        'Ruby Flare Pearl*',
        'Long Range: AWD',
        'Gris Métallisé',
        'e\u0301te\u0301',
        '$31,500 - $32,000',
        '24,500, 23,900 or 22,100',
        '2022, 2023 and 2024, 2025',
        '2013 Focus ST',
        '2 Lexus CT',
        '2004 Civic 4 Dr Sedan',
        'a 5 minute drive',
        'the 1996 626 at 31,500',
        '1992 Integra',
        '1992 Fifth Avenue',
        '@ 60 months',
      ].flatMap(inSentences),
    )('not in %j', (text) => expect(maskWords(text, [])).toBe(text));
  });
});

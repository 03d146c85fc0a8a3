import { maskWords } from './masked-words.js';

const NAME = 'Lakeside Motors (North) + Co.';

describe('maskWords', () => {
  it.each([
    ['an e-mail address', 'Write to bob.o+x@cars.example, please', 'Write to ••• please'],
    ['a URL', 'See https://lakeside.example/x?y=1 now', 'See ••• now'],
    ['a host', 'On lakesidemotors.com/inventory today', 'On ••• today'],
    ['a host of www', 'www.lakeside.dealer', '•••'],
    ['a telephone number', 'Call (555) 010-1234 9 to 5', 'Call ••• to 5'],
    ['a host after dots', 'Write to us...lakeside.com', 'Write to us...•••'],
    ['a short telephone number', 'Call 555-0123.', 'Call •••.'],
    ['one with a dash', 'Call 555–0123 or 555‑0124', 'Call ••• or •••'],
    ['a VIN', 'VIN 1HGCM82633A004352 here', 'VIN ••• here'],
    ['the name', `From lakeside   MOTORS (north) + co.`, 'From •••'],
    ['the name inside a sentence', `(${NAME})`, '(•••)'],
  ])('replaces %s', (_what, text, shown) => expect(maskWords(text, NAME)).toBe(shown));

  it.each([
    'Is the price of 24,500 with the 2.0T/AWD and 19" wheels still good?',
    'A motor beside the lake; Lakeside alone, or North.',
    'Trim e.g. ID.Buzz, 3.5L-V6-EcoBoost, XLT 6.7L V8',
    'e\u0301te\u0301',
  ])('shows %j as it is', (text) => expect(maskWords(text, NAME)).toBe(text));

  it.each([' ', '-', 'A-1 / B_2 {x} #&~!`"<>', '漢字🚗'])(
    'takes %j for a name as it is',
    (name) => {
      expect(maskWords(`by ${name} now`, name)).toBe(
        name.trim() === '' ? `by ${name} now` : 'by ••• now',
      );
    },
  );

  it('finds a name between letters of no word', () =>
    expect(maskWords('superBob', 'Bob')).toBe('superBob'));

  it('finds a name that is written in decomposed letters', () =>
    expect(maskWords('von Mu\u0308ller Autos', 'Müller')).toBe('von ••• Autos'));

  it.each([
    ['one word', 'a'.repeat(10_000)],
    ['digits between blanks', `1${' '.repeat(5_000)}`.repeat(2)],
    ['labels', 'a.'.repeat(5_000)],
    ['words', 'ab1 '.repeat(2_500)],
  ])('reads %s of the longest text in a moment', (_what, text) => {
    const startedAt = performance.now();
    maskWords(text, NAME);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

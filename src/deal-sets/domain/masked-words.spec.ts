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
    ['a telephone number with a dash', 'Call 555–0123 or 555‑0124', 'Call ••• or •••'],
    ['a VIN', 'VIN 1HGCM82633A004352 here', 'VIN ••• here'],
    ['the name of the dealership', `From lakeside   MOTORS (north) + co.`, 'From •••'],
    ['the name inside a sentence', `(${NAME})`, '(•••)'],
  ])('replaces %s', (_what, text, shown) => expect(maskWords(text, NAME)).toBe(shown));

  it.each([
    ['Lakeside Motors, LLC', 'Bob at Lakeside Motors here', 'Bob at ••• here'],
    ['Lakeside Motors, LLC', 'Bob at Lakeside Motors L.L.C. here', 'Bob at •••. here'],
    ['Lakeside Motors, L.L.C.', 'Bob at lakeside motors LLC, here', 'Bob at •••, here'],
    ['Lakeside Motors Co., Inc.', 'by Lakeside Motors', 'by •••'],
    ['Lakeside Motors', 'by Lakeside Motors, LLC', 'by •••, LLC'],
    ["O'Brien Chevrolet", 'Ann from O’Brien Chevrolet here', 'Ann from ••• here'],
    ['O’Brien Chevrolet', "Ann from O'BRIEN chevrolet here", 'Ann from ••• here'],
    ['Smith & Sons', 'by Smith and Sons', 'by •••'],
    ['Smith and Sons', 'by SMITH&SONS', 'by •••'],
    ['Smith & Co.', 'by Smith today', 'by ••• today'],
    ['Auto–Mart', 'by auto-mart, of course', 'by •••, of course'],
    ['J.R. Motors', 'by JR Motors', 'by •••'],
    ['JR Motors', 'by J.R. Motors', 'by •••'],
    ['St. Louis Motors', 'by St Louis Motors', 'by •••'],
    ['Lakeside® Motors', 'by Lakeside Motors', 'by •••'],
    ['Motors “North”', 'by Motors "North"', 'by •••'],
  ])('finds %j in %j', (name, text, shown) => expect(maskWords(text, name)).toBe(shown));

  it.each([
    ['Lakeside Motors', 'Lakeside, the motors'],
    ['Bronco', 'bron is no legal form of Broncos'],
    ['Company', 'a corporation'],
    ['Co.', 'no company'],
    ['Inc', 'inclusive'],
    ['.', 'A dot. And another.'],
  ])('does not find %j in %j', (name, text) => expect(maskWords(text, name)).toBe(text));

  it('never counts a whole name as a legal form', () => {
    expect(maskWords('by Company today', 'Company')).toBe('by ••• today');
    expect(maskWords('by inc today', 'Inc Co')).toBe('by ••• today');
  });

  it.each([
    ['a@b@c.example now', '•••••• now'],
    ['@handle and a @ sign', '@handle and a @ sign'],
    ['漢字bob@cars.example漢', '•••'],
  ])('masks the at signs of %j', (text, shown) => expect(maskWords(text, NAME)).toBe(shown));

  it.each([
    'Is the price of 24,500 with the 2.0T/AWD and 19" wheels still good?',
    'A motor beside the lake; Lakeside alone, or North.',
    'Trim e.g. ID.Buzz, 3.5L-V6-EcoBoost, XLT 6.7L V8',
    'e\u0301te\u0301',
  ])('leaves %j unchanged', (text) => expect(maskWords(text, NAME)).toBe(text));

  it.each([' ', '-', 'A-1 / B_2 {x} #&~!`"<>', '漢字🚗'])('uses %j unchanged as a name', (name) => {
    expect(maskWords(`by ${name} now`, name)).toBe(
      name.trim() === '' ? `by ${name} now` : 'by ••• now',
    );
  });

  it('finds a name between letters that form no word', () =>
    expect(maskWords('superBob', 'Bob')).toBe('superBob'));

  it('finds a name that is written in decomposed letters', () =>
    expect(maskWords('von Mu\u0308ller Autos', 'Müller')).toBe('von ••• Autos'));

  it.each([
    ['one word', 'a'.repeat(10_000)],
    ['digits between blanks', `1${' '.repeat(5_000)}`.repeat(2)],
    ['labels', 'a.'.repeat(5_000)],
    ['words', 'ab1 '.repeat(2_500)],
    ['ideographs', '漢'.repeat(10_000)],
    ['at signs', 'a@'.repeat(5_000)],
    ['brackets', '('.repeat(10_000)],
    ['beginnings of the name', 'Lakeside '.repeat(1_200)],
  ])('reads %s of the longest text quickly', (_what, text) => {
    const before = process.cpuUsage();
    maskWords(text, NAME);
    // Measures processor time, because it does not depend on other work on the machine.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
  });

  it('reads names with many separators and forms quickly', () => {
    const before = process.cpuUsage();
    maskWords('a', `a${' ,co. , inc'.repeat(27)}z`);
    maskWords('a', `a${' , '.repeat(100)}`);
    maskWords(`a${' '.repeat(5_000)}`.repeat(2), `a${' & '.repeat(99)}`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
  });
});

const SHORT = 625;
const LONG = 10_000;
const LEAST_RUNS = 3;
/** How often a cost that seems to grow too much is measured. */
const MOST_RUNS = 25;
/**
 * What takes less than a millisecond for the longest text is not measured further: work that grows
 * with the square of ten thousand characters takes much longer.
 */
const NEGLIGIBLE_MS = 1;

/**
 * The growth of a cost between texts of 625 and of 10,000 characters above which it is not
 * proportional to the length. A proportional cost grows 16-fold, one that grows with the square
 * 256-fold. On a busy machine, a measurement can be wrong by more than a factor of two.
 */
export const LARGEST_GROWTH = 64;

/** Texts that make a pattern look ahead, by name: signs, and sequences of signs, to repeat. */
export const HOSTILE_UNITS: Readonly<Record<string, string>> = {
  blanks: ' ',
  tabs: '\t',
  lines: '\n',
  'returns and lines': '\r\n',
  letters: 'a',
  capitals: 'A',
  digits: '1',
  dots: '.',
  commas: ',',
  dashes: '-',
  underscores: '_',
  slashes: '/',
  ats: '@',
  'equal signs': '=',
  semicolons: ';',
  quotes: '"',
  backslashes: '\\',
  brackets: '(',
  braces: '{',
  ampersands: '&',
  entities: '&#49;',
  'encoded ampersands': '&amp;',
  marks: '\u0301',
  ideographs: '漢',
  'soft hyphens': '\u00ad',
  'digits and blanks': '1 ',
  'digits and commas': '1,',
  'digits and dashes': '1-',
  'a digit and many blanks': `1${' '.repeat(300)}`,
  'groups of digits': '415 555 ',
  'letters and dots': 'a.',
  'words and dots': 'lakeside.',
  'letters and dashes': 'a-',
  'letters and underscores': 'a_',
  'letters and ats': 'a@',
  'letters and digits': 'a1',
  'letters and blanks': 'a ',
  'small and capital letters': 'aA',
  'capitalized words': 'Aaa ',
  'numbers and words': '1 Aaa ',
  'words and commas': 'Aaa, ',
  'addresses without an end': 'http://a.',
  'dots in words': 'a dot ',
  'words in quotes': '"a" ',
  'escaped quotes': '\\"',
  colons: 'a:',
};

/**
 * Returns how many times longer `run` takes for a text of 10,000 characters than for one of 625,
 * or 1 if it takes next to no time. The shortest time for each length counts: the compiler, the
 * garbage collector and other work on the machine only add to it.
 *
 * @param textOf makes a text of about so many characters.
 */
export function costGrowth(
  run: (text: string) => unknown,
  textOf: (length: number) => string,
): number {
  const [longText, shortText] = [textOf(LONG), textOf(SHORT)];
  let [long, short] = [msOf(run, longText), Infinity];
  for (let count = 1; count <= MOST_RUNS && long >= NEGLIGIBLE_MS; count += 1) {
    // The runs alternate, so that whatever disturbs them affects both lengths alike.
    short = Math.min(short, msOf(run, shortText));
    long = Math.min(long, msOf(run, longText));
    if (count >= LEAST_RUNS && long / short < LARGEST_GROWTH) break;
  }
  return long < NEGLIGIBLE_MS ? 1 : long / short;
}

/** Measures processor time, because it does not depend on other work on the machine. */
function msOf(run: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  run(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns a text of `length` characters that repeats the unit. */
export function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

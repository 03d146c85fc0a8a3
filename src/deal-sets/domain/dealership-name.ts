/**
 * Legal forms that are removed from the end of a dealership's name. `sql/listings.sql` removes the
 * same ones; a test compares the two.
 */
export const LEGAL_FORMS = [
  'LLC',
  'LC',
  'LLP',
  'LP',
  'Inc',
  'Incorporated',
  'Corp',
  'Corporation',
  'Co',
  'Company',
  'Ltd',
  'Limited',
  'PLLC',
  'PC',
  'GmbH',
] as const;

/**
 * The separator between a name and its legal form. It contains at least one character besides dots,
 * because dots belong to abbreviations.
 */
const SEPARATOR = '\\.*[\\s,()/+&][\\s,.()/+&]*';
const LEGAL_FORM = LEGAL_FORMS.map((legalForm) => [...legalForm].join('\\.?')).join('|');
const LEGAL_ENDING = new RegExp(
  `(?:${SEPARATOR}(?:and${SEPARATOR})?(?:${LEGAL_FORM}))+[\\s,.()/+&]*$`,
  'iu',
);

/**
 * Removes all legal forms at the end of a name. A name that consists only of legal forms is kept.
 */
export function withoutLegalForms(name: string): string {
  const rest = name.replace(LEGAL_ENDING, '');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : name;
}

/**
 * The parts of a name for which `wordsPattern` allows other spellings: `&` or `and`, a sequence of
 * blanks, commas, dots and trademark signs, or a single character.
 */
const TOKENS = /\s*&\s*|\s+and\s+|[\s.,®™]+|./gisu;
const APOSTROPHES = "'’‘ʼ";
const DASHES = '-–—‑−';
const QUOTES = '"“”';

/**
 * Builds a pattern that finds a dealership's name in a text, as a whole and in any case, with and
 * without its legal form. Typographic and plain characters match each other, `&` matches `and`, and
 * commas and dots are optional.
 *
 * @returns null for a name that contains only blanks, commas, dots and trademark signs.
 */
export function dealershipNamePattern(name: string): RegExp | null {
  const whole = name.normalize('NFC').trim();
  if (/^[\s.,®™]*$/.test(whole)) return null;
  const bare = withoutLegalForms(whole);
  const ending = whole.slice(bare.length);
  const legalForm = ending === '' ? '' : `(?:${wordsPattern(ending)})?`;
  const source = `(?<![\\p{L}\\p{N}])${wordsPattern(bare)}${legalForm}(?![\\p{L}\\p{N}])`;
  return new RegExp(source, 'giu');
}

function wordsPattern(words: string): string {
  const tokens = words.match(TOKENS) ?? [];
  return tokens
    .map((token, index) => {
      const next = tokens[index + 1];
      if (/^\s*&\s*$/.test(token)) return AND;
      if (/^\s+and\s+$/i.test(token)) return AND;
      if (/^[\s.,®™]+$/.test(token)) {
        // At the end, a blank belongs to the surrounding sentence.
        if (next === undefined) return optional(token);
        return /[.,®™]/.test(token) ? '[.,®™]{0,2}\\s*' : '(?:[.,®™]{0,2}\\s+|[.,®™]{1,2})';
      }
      const isAbbreviable = isLetter(token) && next !== undefined && isLetter(next);
      return isAbbreviable ? `${signPattern(token)}\\.?` : signPattern(token);
    })
    .join('');
}

const AND = '[.,®™]{0,2}(?:\\s*&\\s*|\\s+and\\s+)';

const isLetter = (text: string): boolean => /^[\p{L}\p{N}]$/u.test(text);

function optional(signs: string): string {
  return [...signs].map((sign) => (/\s/.test(sign) ? '' : `[${sign}]?`)).join('');
}

function signPattern(sign: string): string {
  for (const equal of [APOSTROPHES, DASHES, QUOTES]) {
    if (equal.includes(sign)) return `[${equal.replace('-', '\\-')}]`;
  }
  return sign.replace(/[\\^$*+?()[\]{}|/]/g, '\\$&');
}

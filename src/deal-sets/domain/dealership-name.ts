/** What sql/listings.sql removes from the end of a dealership's name too; a test compares the two. */
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

/** Between a name and its legal form: at least one of these besides dots, which belong to abbreviations. */
const SEPARATOR = '\\.*[\\s,()/+&][\\s,.()/+&]*';
const LEGAL_FORM = LEGAL_FORMS.map((form) => [...form].join('\\.?')).join('|');
const LEGAL_ENDING = new RegExp(
  `(?:${SEPARATOR}(?:and${SEPARATOR})?(?:${LEGAL_FORM}))+[\\s,.()/+&]*$`,
  'iu',
);

/** A name without the legal forms at its end, however many there are; a name is never removed whole. */
export function withoutLegalForms(name: string): string {
  const rest = name.replace(LEGAL_ENDING, '');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : name;
}

/** What people write differently in one name. */
const PARTS = /\s*&\s*|\s+and\s+|[\s.,®™]+|./gisu;
const APOSTROPHES = "'’‘ʼ";
const DASHES = '-–—‑−';
const QUOTES = '"“”';

/**
 * A pattern that finds a dealership's name in a text, as a whole and in any case, with and without its legal form.
 * Typographic and plain signs are equal, `&` equals `and`, and commas and dots are optional.
 *
 * @returns null for a name that has nothing but blanks, commas and dots.
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
  const parts = words.match(PARTS) ?? [];
  return parts
    .map((part, place) => {
      const next = parts[place + 1];
      if (/^\s*&\s*$/.test(part)) return AND;
      if (/^\s+and\s+$/i.test(part)) return AND;
      if (/^[\s.,®™]+$/.test(part)) {
        // At the end a blank belongs to the sentence around the name.
        if (next === undefined) return optional(part);
        return /[.,®™]/.test(part) ? '[.,®™]{0,2}\\s*' : '(?:[.,®™]{0,2}\\s+|[.,®™]{1,2})';
      }
      const isAbbreviable = isLetter(part) && next !== undefined && isLetter(next);
      return isAbbreviable ? `${signPattern(part)}\\.?` : signPattern(part);
    })
    .join('');
}

const AND = '[.,®™]{0,2}(?:\\s*&\\s*|\\s+and\\s+)';

const isLetter = (part: string): boolean => /^[\p{L}\p{N}]$/u.test(part);

function optional(signs: string): string {
  return [...signs].map((sign) => (/\s/.test(sign) ? '' : `[${sign}]?`)).join('');
}

function signPattern(sign: string): string {
  for (const equal of [APOSTROPHES, DASHES, QUOTES]) {
    if (equal.includes(sign)) return `[${equal.replace('-', '\\-')}]`;
  }
  return sign.replace(/[\\^$*+?()[\]{}|/]/g, '\\$&');
}

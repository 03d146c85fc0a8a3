import { isLetterOrDigit, type Span } from './folded-text.js';

const LENGTH = 17;
/** Each position at which seventeen characters of a VIN begin. */
const CANDIDATES = /(?=[A-HJ-NPR-Z0-9]{13}[0-9]{4})/g;
/** The values and weights of 49 CFR 565.15(c), by which the ninth character is checked. */
const VALUES: ReadonlyMap<string, number> = new Map(
  [...'0123456789ABCDEFGHJKLMNPRSTUVWXYZ'].map((sign, place) => [
    sign,
    place < 10 ? place : Number('12345678123457923456789'[place - 10]),
  ]),
);
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const CHECK_DIGITS = '0123456789X';
/** A word with small letters and without digits, as in "the 911 at 31,500". */
const PROSE = /(?<![\p{L}\p{N}])(?=\p{L}*\p{Ll})\p{L}+(?!\p{N})/u;

/**
 * Finds vehicle identification numbers: seventeen letters and digits, in one word or in groups,
 * which end in four digits. In groups, the check digit must be right and no group may be a word in
 * small letters, because a sentence can contain such groups by accident.
 */
export function* findVins(plain: string): Generator<Span> {
  let signs = '';
  const places: number[] = [];
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain.charAt(at);
    if (!isLetterOrDigit(character)) continue;
    signs += character < '\u0080' ? character.toUpperCase() : ' ';
    places.push(at);
  }
  for (const { index } of signs.matchAll(CANDIDATES)) {
    const start = places[index] ?? 0;
    const end = (places[index + LENGTH - 1] ?? 0) + 1;
    if (isLetterOrDigit(plain[start - 1]) || isLetterOrDigit(plain[end])) continue;
    const isOneWord = end - start === LENGTH;
    const number = signs.slice(index, index + LENGTH);
    if (isOneWord || (hasCheckDigit(number) && !PROSE.test(plain.slice(start, end)))) {
      yield [start, end];
    }
  }
}

function hasCheckDigit(number: string): boolean {
  const sum = [...number].reduce(
    (total, sign, place) => total + (VALUES.get(sign) ?? 0) * (WEIGHTS[place] ?? 0),
    0,
  );
  return number[8] === CHECK_DIGITS[sum % 11];
}

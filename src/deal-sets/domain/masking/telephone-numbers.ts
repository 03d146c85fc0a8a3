import type { Span } from './folded-text.js';
import { spansOf } from './spans-of.js';

/** Between the groups of a number: at most four signs that are neither letters nor digits. */
const GAP = String.raw`[^\p{L}\p{Nd},]{0,4}`;

/** The dashes between the groups of a number, for a class of characters. */
const DASHES = String.raw`\u2010-\u2015\u2212-`;

/** Ten digits in the groups of North America. */
const GROUPED = new RegExp(
  String.raw`(?<!\p{Nd})(?:\+?1${GAP})?[+(]{0,2}[2-9]\p{Nd}{2}${GAP}[2-9]\p{Nd}{2}${GAP}\p{Nd}{4}(?!\p{Nd})`,
  'gu',
);
const INTERNATIONAL = /\+\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){7,14}/gu;
/** Ten digits or more, in any groups. */
const TEN_DIGITS = /(?<![+(])[+(]{0,2}\p{Nd}(?:[^\p{L}\p{Nd}]{0,8}\p{Nd}){9,}/gu;
/** Three digits, a dash or dot, four digits. */
const LOCAL = new RegExp(
  String.raw`(?<![\p{Nd}]|\p{Nd},)\p{Nd}{3}\s?[.${DASHES}]\s?\p{Nd}{4}(?!\p{Nd})`,
  'gu',
);
/** Seven digits without a dash, after a word such as `call`. */
const AFTER_CALL =
  /(?<![\p{L}\p{N}])(?:call|text|phone|telephone|tel|cell|mobile|dial|fax|whatsapp)(?:[\s.:,#(]{1,3}(?:us|me|him|her|at|on|is|now|or|text|back|number|no|today|anytime)(?![\p{L}\p{N}])){0,3}[\s.:,#(]{1,3}(?<contact>\p{Nd}{3}\s{0,2}\p{Nd}{4}(?:\s{0,2}(?:or|and|[,/])\s{0,2}\p{Nd}{3}\s{0,2}\p{Nd}{4}){0,3}(?!\p{Nd}))/giu;

/** A sign between the groups of a number that ends in letters. */
const SIGN = String.raw`[\s.${DASHES}]`;
const TOLL_FREE = '8(?:00|33|44|55|66|77|88)';
/** A number that ends in letters, after the code of a toll-free number or after a 1. */
const VANITY = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:\+?1${SIGN}{0,2}\([2-9]\p{Nd}{2}\)${SIGN}{0,2}|\+?1${SIGN}{1,2}[2-9]\p{Nd}{2}${SIGN}{1,3}|\(${TOLL_FREE}\)${SIGN}{0,2}|${TOLL_FREE}[.${DASHES}]|1?${TOLL_FREE}[${DASHES}]?(?=\p{Lu}))(?=(?:${SIGN}?[\p{L}\p{Nd}]){7})(?=[\p{Nd}${DASHES}]{0,8}\p{L})(?:[\p{L}\p{Nd}]{7,20}|[\p{L}\p{Nd}]{1,12}(?:[${DASHES}][\p{L}\p{Nd}]{1,12}){1,4}|[\p{Lu}\p{Nd}]{1,12}(?:${SIGN}[\p{Lu}\p{Nd}]{1,12}){1,3})(?![\p{L}\p{N}])`,
  'gu',
);

/**
 * Amounts of money, numbers with commas, and years. Ten digits that come from these are not a
 * telephone number.
 */
const AMOUNTS =
  /(?<![\p{Nd},.])(?:[$€£]\s?\p{Nd}{1,7}(?![\p{Nd},])|[$€£]?\s?\p{Nd}{1,3}(?:,\p{Nd}{3})+(?!,?\p{Nd})|(?:19[5-9]|20[0-3])\p{Nd}(?!\p{Nd}))/gu;

/**
 * Finds telephone numbers: ten digits, in any digits and groups, seven with a dash or dot, or
 * after a word such as "call", and numbers that end in letters ("1-800-FLOWERS").
 */
export function* findTelephoneNumbers(plain: string): Generator<Span> {
  for (const pattern of [GROUPED, INTERNATIONAL, LOCAL, AFTER_CALL, VANITY]) {
    yield* spansOf(plain, pattern);
  }
  const withoutAmounts = plain.replaceAll(AMOUNTS, (amount) => 'x'.repeat(amount.length));
  yield* spansOf(withoutAmounts, TEN_DIGITS);
}

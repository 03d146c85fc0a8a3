import { findContacts } from './contacts.js';
import {
  foldText,
  foldWithAndWithoutTags,
  isLetterOrDigit,
  largestPlainLength,
  sourceSpan,
  type FoldedText,
  type Span,
} from './folded-text.js';

/** The text that replaces what identifies a dealership. */
const MASK = '•••';

/** The length from which a key of a name is also found inside a longer word. */
const LONG_KEY = 8;

/**
 * Masks the parts of a message that would identify the dealership: contacts, and its name wherever
 * the letters and digits of one of its keys follow each other. No pattern is built from the keys,
 * so the time grows no faster than the text, whatever the dealership's name is. A text whose
 * characters stand for many letters each is masked whole.
 *
 * @param nameKeys the keys of the dealership's name (`deal_sets.name_keys`).
 * @returns `text` itself when nothing was replaced.
 */
export function maskWords(text: string, nameKeys: readonly string[]): string {
  const forms = foldWithAndWithoutTags(text);
  if (forms.length === 0) return MASK;
  // A longer key cannot occur in the text.
  const keys = nameKeys
    .filter((key) => key.length <= largestPlainLength(text))
    .map((key) => foldText(key).letters.text);
  const spans = forms.flatMap((folded) => {
    const found = findContacts(folded.plain.text);
    for (const key of keys) found.push(...findKey(folded, key));
    return found.map((span) => sourceSpan(folded.plain, span));
  });
  return replaceSpans(text, spans);
}

/** Finds a key in a text, as spans that do not overlap. A short key is found only as a whole word. */
function* findKey(folded: FoldedText, key: string): Generator<Span> {
  if (key === '') return;
  const { letters } = folded;
  let merged: Span | undefined;
  let found = letters.text.indexOf(key);
  for (; found >= 0; found = letters.text.indexOf(key, found + 1)) {
    const after = found + key.length;
    if (key.length < LONG_KEY && !isWord(folded, found, after)) continue;
    const [start, end] = sourceSpan(letters, [found, after]);
    if (merged !== undefined && start <= merged[1]) {
      merged = [merged[0], end];
    } else {
      if (merged !== undefined) yield merged;
      merged = [start, end];
    }
  }
  if (merged !== undefined) yield merged;
}

/** Returns whether a part of the letters is a whole word of the text. */
function isWord({ plain, letters }: FoldedText, found: number, after: number): boolean {
  const [start, end] = sourceSpan(letters, [found, after]);
  // The three letters of the `and` that replaces `&` have the same span, so a key must not begin
  // or end inside them.
  const isWhole = letters.starts[found - 1] !== start && letters.ends[after] !== end;
  return isWhole && isWordBoundary(plain.text, start) && isWordBoundary(plain.text, end);
}

/** A change from lower to upper case also separates words ("callFord"). */
function isWordBoundary(plain: string, at: number): boolean {
  const [before, after] = [plain.charAt(at - 1), plain.charAt(at)];
  if (!isLetterOrDigit(before) || !isLetterOrDigit(after)) return true;
  return /\p{Ll}/u.test(before) && /\p{Lu}/u.test(after);
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  let masked = '';
  let done = 0;
  let isMasked = false;
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    // Spans that overlap or touch become one mask.
    if (start > done || !isMasked) masked += `${text.slice(done, start)}${MASK}`;
    isMasked = true;
    done = Math.max(done, end);
  }
  return isMasked ? masked + text.slice(done) : text;
}

import type { Span } from './folded-text.js';

/** Yields the span of each match of a pattern, or of its group `contact` where it has one. */
export function* spansOf(text: string, pattern: RegExp): Generator<Span> {
  for (const { 0: whole, index, groups } of text.matchAll(pattern)) {
    // The group `contact`, if present, is the end of the match.
    const { length } = groups?.['contact'] ?? whole;
    const end = index + whole.length;
    yield [end - length, end];
  }
}

const PREVIEW_GRAPHEMES = 280;
/** A grapheme may be of any length; this bounds what is sent. In UTF-16 code units. */
const PREVIEW_UNITS = 2_000;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * How a draft begins, cut between graphemes; only a first grapheme that alone is longer is cut, between code points.
 *
 * @param opening the draft; of a draft longer than 2,000 code units any beginning that is longer too.
 * @param hasMore the opening is not all of the draft as it was written.
 */
export function previewOf(
  opening: string,
  hasMore: boolean,
): { readonly text: string; readonly isComplete: boolean } {
  let text = '';
  let count = 0;
  // With the code point after the limit in full: it may belong to the last grapheme.
  for (const { segment } of GRAPHEMES.segment(opening.slice(0, PREVIEW_UNITS + 2))) {
    if (count === PREVIEW_GRAPHEMES || text.length + segment.length > PREVIEW_UNITS) break;
    text += segment;
    count += 1;
  }
  if (count === 0) text = opening.slice(0, PREVIEW_UNITS).replace(/[\ud800-\udbff]$/, '');
  return { text, isComplete: !hasMore && text === opening };
}

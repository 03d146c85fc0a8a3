const PREVIEW_GRAPHEMES = 280;
/** A grapheme may be of any length; this bounds what is sent. In UTF-16 code units. */
const PREVIEW_UNITS = 2_000;
/** A segmenter copies its whole text for each grapheme that it finds: it is given a piece at a time. */
const PIECE_UNITS = 32;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

export interface Preview {
  readonly text: string;
  readonly isComplete: boolean;
}

/**
 * How a draft begins: its first 280 graphemes and at most 2,000 code units, cut between graphemes. Only a
 * first grapheme that alone is longer is cut, between code points.
 *
 * @param opening the draft; of a draft longer than 2,000 code units any beginning that is longer too.
 * @param hasMore the draft goes on after the opening.
 */
export function previewOf(opening: string, hasMore: boolean): Preview {
  let end = 0;
  for (let count = 0; count < PREVIEW_GRAPHEMES && end < opening.length; count += 1) {
    const next = graphemeEnd(opening, end);
    if (next > PREVIEW_UNITS) {
      if (count === 0) end = PREVIEW_UNITS - (isPairAt(opening, PREVIEW_UNITS - 1) ? 1 : 0);
      break;
    }
    end = next;
  }
  return { text: opening.slice(0, end), isComplete: !hasMore && end === opening.length };
}

/** Where the grapheme that begins at `start` ends. */
function graphemeEnd(text: string, start: number): number {
  if (isByItself(text.charCodeAt(start)) && isByItself(text.charCodeAt(start + 1)))
    return start + 1;
  for (let units = PIECE_UNITS; ; units *= 2) {
    const piece = text.slice(start, start + units);
    const length = GRAPHEMES.segment(piece).containing(0)?.segment.length ?? piece.length;
    // The code point after it must be there in full: it may belong to the grapheme.
    if (length + 2 <= piece.length || start + units >= text.length) return start + length;
  }
}

/**
 * Whether a character joins no neighbour of this kind: letters of Latin, Greek, Cyrillic and Chinese, digits,
 * usual punctuation. It spares most texts the segmenter, which takes many times as long.
 */
function isByItself(unit: number): boolean {
  return (
    (unit < 0x300 && unit !== 0x0d) ||
    (unit >= 0x370 && unit <= 0x482) ||
    (unit >= 0x2010 && unit <= 0x2027) ||
    (unit >= 0x4e00 && unit <= 0x9fff)
  );
}

function isPairAt(text: string, place: number): boolean {
  return (text.codePointAt(place) ?? 0) > 0xffff;
}

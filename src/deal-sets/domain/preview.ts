const PREVIEW_GRAPHEMES = 280;
/** A grapheme may be of any length; this bounds what is sent. In UTF-16 code units. */
const PREVIEW_UNITS = 2_000;
/** A segmenter copies its whole text for each grapheme that it finds: it is given a piece at a time. */
const PIECE_UNITS = 64;

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
  if (opening.length <= PREVIEW_GRAPHEMES) return { text: opening, isComplete: !hasMore };
  let end = 0;
  for (let graphemes = 0; graphemes < PREVIEW_GRAPHEMES && end < opening.length;) {
    if (isByItself(opening.charCodeAt(end)) && isByItself(opening.charCodeAt(end + 1))) {
      end += 1;
      graphemes += 1;
      continue;
    }
    const ends = graphemeEnds(opening, end).slice(0, PREVIEW_GRAPHEMES - graphemes);
    const fitting = ends.filter((each) => each <= PREVIEW_UNITS);
    end = fitting.at(-1) ?? end;
    graphemes += fitting.length;
    if (fitting.length < ends.length) break;
  }
  if (end === 0) end = endOfCodePoint(opening, PREVIEW_UNITS);
  return { text: opening.slice(0, end), isComplete: !hasMore && end === opening.length };
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

/** Where the next graphemes end, at least one: those that lie in one piece of the text for certain. */
function graphemeEnds(text: string, start: number): number[] {
  const next = nextByItself(text, start);
  if (next !== undefined) return endsIn(text, start, next);
  for (let units = PIECE_UNITS; ; units *= 2) {
    const end = endOfCodePoint(text, start + units);
    const ends = endsIn(text, start, end);
    // What follows the piece may belong to its last grapheme.
    if (end < text.length) ends.pop();
    if (ends.length > 0) return ends;
  }
}

/** Between two characters that join no neighbour a grapheme ends: undefined when there are none near. */
function nextByItself(text: string, start: number): number | undefined {
  const last = Math.min(start + PIECE_UNITS, text.length - 1);
  for (let at = start + 1; at <= last; at += 1) {
    if (isByItself(text.charCodeAt(at - 1)) && isByItself(text.charCodeAt(at))) return at;
  }
  return undefined;
}

function endsIn(text: string, start: number, end: number): number[] {
  return Array.from(
    GRAPHEMES.segment(text.slice(start, end)),
    ({ index, segment }) => start + index + segment.length,
  );
}

/** The place at or just before `limit` where no surrogate pair is cut. */
function endOfCodePoint(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  return (text.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit;
}

/** A part of a text, from an offset to the offset after it, in UTF-16 code units. */
export type Span = readonly [start: number, end: number];

/**
 * A text in a form that is easy to search, with a map back to the original: `starts[i]` and
 * `ends[i]` delimit, in UTF-16 code units of the original, what became the code unit `i`.
 */
interface MappedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A text in its two searchable forms. Spans of both forms are offsets of UTF-16 code units. */
export interface FoldedText {
  /**
   * The text in plain characters: NFKD without marks and invisible characters, HTML entities
   * decoded, letters that NFKD does not decompose spelled out. Case, blanks and punctuation remain.
   */
  readonly plain: MappedText;
  /**
   * The letters and digits of `plain` in lower case, with `and` in place of `&`. Its `starts` and
   * `ends` are offsets in `plain`.
   */
  readonly letters: MappedText;
}

/** The letters that NFKD does not take apart. `sql/name-keys.sql` has the same table. */
const SPELLED_OUT: Readonly<Record<string, string>> = {
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  ħ: 'h',
  Ħ: 'H',
  ŧ: 't',
  Ŧ: 'T',
  ı: 'i',
  ς: 'σ',
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  þ: 'th',
  Þ: 'TH',
  '™': '',
  '℠': '',
};

/**
 * The named entities that web forms and mail programs produce, besides those of letters.
 * `deal_sets.after_ampersand` in `sql/name-keys.sql` has the same table.
 */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    apos: "'",
    quot: '"',
    lt: '<',
    gt: '>',
    nbsp: ' ',
    ensp: ' ',
    emsp: ' ',
    emsp13: ' ',
    emsp14: ' ',
    numsp: ' ',
    puncsp: ' ',
    thinsp: ' ',
    hairsp: ' ',
    ThinSpace: ' ',
    VeryThinSpace: ' ',
    MediumSpace: ' ',
    NonBreakingSpace: ' ',
    shy: '',
    zwj: '',
    zwnj: '',
    lrm: '',
    rlm: '',
    NoBreak: '',
    ZeroWidthSpace: '',
    lsquo: "'",
    rsquo: "'",
    sbquo: "'",
    ldquo: '"',
    rdquo: '"',
    bdquo: '"',
    laquo: '"',
    raquo: '"',
    prime: "'",
    grave: '`',
    acute: "'",
    ndash: '-',
    mdash: '-',
    minus: '-',
    hyphen: '-',
    dash: '-',
    bull: '•',
    middot: '·',
    hellip: '…',
    copy: '©',
    reg: '®',
    trade: '™',
    comma: ',',
    period: '.',
    colon: ':',
    sol: '/',
    num: '#',
    plus: '+',
    commat: '@',
    lowbar: '_',
    lpar: '(',
    rpar: ')',
    Tab: ' ',
    NewLine: '\n',
    szlig: 'ß',
    aelig: 'æ',
    AElig: 'Æ',
    oelig: 'œ',
    OElig: 'Œ',
    eth: 'ð',
    ETH: 'Ð',
    thorn: 'þ',
    THORN: 'Þ',
    inodot: 'ı',
  }),
);

/**
 * An entity. An encoded ampersand before the rest of another entity (`&amp;#39;`) occurs in a text
 * that was encoded twice.
 */
const ENTITY =
  /&(?:amp;|#0{0,20}38;|#[xX]0{0,20}26;){0,3}(?:#0{0,20}(\d{1,7});?|#[xX]0{0,20}([\da-fA-F]{1,6});?|([A-Za-z][A-Za-z\d]{1,23});)/y;
/** Browsers also decode these entities without a semicolon. */
const UNENDED_ENTITY = /&(?:amp;|#0{0,20}38;|#[xX]0{0,20}26;){0,3}(nbsp|shy|amp|quot)/y;
const LETTER_ENTITY =
  /^([A-Za-z])(?:grave|acute|circ|tilde|uml|ring|cedil|caron|slash|strok|breve|macr|ogon|dot)$/;

const DROPPED = /^[\p{M}\p{Default_Ignorable_Code_Point}]$/u;
/** Letters and digits; modifier letters, among them an apostrophe, and symbols are neither. */
const LETTER_OR_DIGIT =
  /^(?![\u02b0-\u02ff\u2000-\u2bff\u2e00-\u2fff\ua830-\ua839\u{1f000}-\u{1faff}])[\p{L}\p{N}]$/u;

/** Returns the span of the original from which a span of the mapped text comes. */
export function sourceSpan({ starts, ends }: MappedText, [start, end]: Span): Span {
  return [starts[start] ?? 0, ends[end - 1] ?? 0];
}

/** Returns whether a character of a plain text is a letter or a digit of any alphabet. */
export function isLetterOrDigit(character: string | undefined): boolean {
  if (character === undefined) return false;
  const code = character.charCodeAt(0);
  if (code < 0x80) {
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  }
  return LETTER_OR_DIGIT.test(character);
}

/**
 * Returns the length that a text may have in plain characters. A letter becomes at most three, but
 * a few characters stand for phrases (U+FDFA for eighteen letters). Searching a text of these would
 * take as long as searching one of that many letters.
 */
export function largestPlainLength(text: string): number {
  return 3 * text.length + 100;
}

/**
 * Folds a text, in time proportional to the length of the result. `deal_sets.name_key` in
 * `sql/name-keys.sql` forms the same letters and digits from words whose entities
 * `deal_sets.without_entities` has decoded; a test compares the two.
 */
export function foldText(text: string): FoldedText {
  return folded(plainText(text, Infinity));
}

/**
 * Folds a text with its HTML tags, and without them if it has any: a tag can divide a name
 * (`<b>Lake</b>side`) or contain one (`<a title="Lakeside">`).
 *
 * @returns no form for a text that is longer than `largestPlainLength` in plain characters.
 */
export function foldWithAndWithoutTags(text: string): readonly FoldedText[] {
  const longest = largestPlainLength(text);
  const plain = plainText(text, longest);
  if (plain.text.length > longest) return [];
  const withoutTags = removeTags(plain);
  return withoutTags === plain ? [folded(plain)] : [folded(plain), folded(withoutTags)];
}

const folded = (plain: MappedText): FoldedText => ({ plain, letters: lettersOf(plain.text) });

/** A tag, a comment or a declaration of HTML. No tag begins with a number or a blank. */
const TAG = /<(?:[/?]?[a-z]|!)[^<>]*>/gi;

/** Returns the text without its tags, or `plain` itself if it has none. */
function removeTags(plain: MappedText): MappedText {
  const kept: Span[] = [];
  let done = 0;
  for (const { 0: tag, index } of plain.text.matchAll(TAG)) {
    kept.push([done, index]);
    done = index + tag.length;
  }
  if (done === 0) return plain;
  kept.push([done, plain.text.length]);
  return {
    text: kept.map(([start, end]) => plain.text.slice(start, end)).join(''),
    starts: kept.flatMap(([start, end]) => plain.starts.slice(start, end)),
    ends: kept.flatMap(([start, end]) => plain.ends.slice(start, end)),
  };
}

/** Characters that are plain already: those of ASCII except for `&`, and ideographs. */
const PLAIN_RUN = /[\0-%'-\x7f\u4e00-\u9fff]+/y;

/** Returns the text in plain characters; stops once it is longer than `longest`. */
function plainText(text: string, longest: number): MappedText {
  const result: Building = { text: '', starts: [], ends: [] };
  const plainOf = remembered(plainCharacters);
  for (let at = 0; at < text.length && result.text.length <= longest;) {
    PLAIN_RUN.lastIndex = at;
    const run = PLAIN_RUN.exec(text)?.[0];
    if (run === undefined) {
      const { characters, end } = entityAt(text, at) ?? characterAt(text, at);
      const plain = plainOf(characters);
      appendAll(result, plain, at, end);
      // A mask that ends at a letter includes the marks and invisible characters after it.
      if (plain === '' && result.ends.length > 0) result.ends[result.ends.length - 1] = end;
      at = end;
    } else {
      appendEach(result, run, at);
      at += run.length;
    }
  }
  return result;
}

/** A mapped text that is being built. */
interface Building {
  text: string;
  readonly starts: number[];
  readonly ends: number[];
}

/** Appends characters that all come from one part of the original. */
function appendAll(result: Building, characters: string, start: number, end: number): void {
  result.text += characters;
  for (let unit = 0; unit < characters.length; unit += 1) {
    result.starts.push(start);
    result.ends.push(end);
  }
}

/** Appends characters that are in the original, too, at the offset `at`. */
function appendEach(result: Building, characters: string, at: number): void {
  result.text += characters;
  for (let start = at; start < at + characters.length; start += 1) {
    result.starts.push(start);
    result.ends.push(start + 1);
  }
}

/** Computes each result once, because a text repeats its characters. */
function remembered(compute: (character: string) => string): (character: string) => string {
  const results = new Map<string, string>();
  return (character) => {
    const known = results.get(character);
    if (known !== undefined) return known;
    const result = compute(character);
    results.set(character, result);
    return result;
  };
}

const isAscii = (character: string): boolean => character.charCodeAt(0) < 0x80;

function characterAt(text: string, at: number): { characters: string; end: number } {
  const characters = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { characters, end: at + characters.length };
}

function entityAt(text: string, at: number): { characters: string; end: number } | undefined {
  if (text[at] !== '&') return undefined;
  ENTITY.lastIndex = at;
  const [whole = '', decimal, hexadecimal, name] = ENTITY.exec(text) ?? [];
  const characters =
    name === undefined
      ? fromCode(decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal))
      : (ENTITIES.get(name) ?? LETTER_ENTITY.exec(name)?.[1]);
  if (characters !== undefined) return { characters, end: at + whole.length };
  UNENDED_ENTITY.lastIndex = at;
  const [unended = '', unendedName = ''] = UNENDED_ENTITY.exec(text) ?? [];
  const decoded = ENTITIES.get(unendedName);
  return decoded === undefined ? undefined : { characters: decoded, end: at + unended.length };
}

function fromCode(code: number): string | undefined {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

function plainCharacters(character: string): string {
  if (character.length === 1 && isAscii(character)) return character;
  let result = '';
  for (const decomposed of spelledOut(character).normalize('NFKD')) {
    if (isAscii(decomposed) || !DROPPED.test(decomposed)) result += spelledOut(decomposed);
  }
  return result;
}

const spelledOut = (character: string): string => SPELLED_OUT[character] ?? character;

/** Letters and digits that stay as they are: small ones of ASCII, and ideographs. */
const LETTER_RUN = /[a-z\d\u4e00-\u9fff]+/y;

function lettersOf(plain: string): MappedText {
  const result: Building = { text: '', starts: [], ends: [] };
  const lettersFor = remembered(lettersOfCharacter);
  for (let at = 0; at < plain.length;) {
    LETTER_RUN.lastIndex = at;
    const run = LETTER_RUN.exec(plain)?.[0];
    if (run === undefined) {
      const { characters, end } = characterAt(plain, at);
      appendAll(result, lettersFor(characters), at, end);
      at = end;
    } else {
      appendEach(result, run, at);
      at += run.length;
    }
  }
  return result;
}

function lettersOfCharacter(character: string): string {
  if (character === '&') return 'and';
  return isLetterOrDigit(character) ? lower(character) : '';
}

function lower(character: string): string {
  const letter = character.toLowerCase();
  return letter === 'ς' ? 'σ' : letter;
}

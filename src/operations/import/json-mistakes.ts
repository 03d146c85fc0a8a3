/** The characters that stand for themselves in text. */
const PLAIN = String.raw`[^"\\\u0000-\u001f]`;
/** A text without its closing quote. */
const STRING = String.raw`"${PLAIN}*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${PLAIN}*)*`;
/** A blank, then a sign, the beginning of a text, or another value; nothing before other text. */
const TOKEN = new RegExp(
  String.raw`[ \t\r\n]*(?:([{}[\],:])|(${STRING})|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))?`,
  'uy',
);
/** A brace, or a text and the colon that makes it a key, in valid JSON. */
const BRACE_OR_TEXT = /[{}]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Returns the first key that an object has twice, because `JSON.parse` silently keeps only the last
 * one.
 *
 * @param text valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [token, key, colon] of text.matchAll(BRACE_OR_TEXT)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (key !== undefined && colon !== undefined) {
      const name = JSON.parse(key) as string;
      const keys = objects.at(-1);
      if (keys?.has(name)) return name;
      keys?.add(name);
    }
  }
  return undefined;
}

/** What may come next in JSON text. */
type Expected = keyof typeof NAMES;
/** What a line needs instead of a word of another language, such as `None` or `NaN`. */
const VALUE = 'a number, true, false, null or text in double quotes';
const NAMES = {
  value: 'a value',
  firstItem: 'a value or ]',
  firstKey: 'a key in double quotes or }',
  key: 'a key in double quotes',
  colon: 'a colon',
  nextMember: 'a comma or }',
  nextItem: 'a comma or ]',
  end: 'the end of the line',
};

/**
 * Describes the first syntax error of JSON text, without words of the text: its column, counted in
 * characters from 1, and what is expected there.
 *
 * @param text text that `JSON.parse` rejects. Versions of Node differ in whether they report the
 *   position.
 */
export function syntaxMistake(text: string): string {
  /** The closing signs of the open objects and arrays. */
  const open: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  const next = (): Expected => {
    const closing = open.at(-1);
    if (closing === undefined) return 'end';
    return closing === '}' ? 'nextMember' : 'nextItem';
  };
  const at = (index: number, mistake: string): string =>
    `column ${[...text.slice(0, index)].length + 1}: ${mistake}`;

  for (let from = 0; ; from = TOKEN.lastIndex) {
    TOKEN.lastIndex = from;
    const [all = '', sign, string, value] = TOKEN.exec(text) ?? [];
    const token = sign ?? string ?? value ?? '';
    const begin = from + all.length - token.length;
    const isValue = string !== undefined || value !== undefined || sign === '{' || sign === '[';
    const mayBeValue: boolean = expected === 'value' || expected === 'firstItem';
    const mayBeKey: boolean = expected === 'key' || expected === 'firstKey';
    const mayClose: boolean = expected !== 'value' && expected !== 'key' && expected !== 'colon';
    if (string !== undefined && (mayBeValue || mayBeKey)) {
      const end = TOKEN.lastIndex;
      if (end === text.length) return at(begin, 'the text that begins here has no closing quote');
      if (text[end] !== '"') return at(end, `${found(text, end)} must be escaped in text`);
      TOKEN.lastIndex = end + 1;
      expected = mayBeKey ? 'colon' : next();
    } else if (isValue && mayBeValue) {
      if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
      expected = sign === '{' ? 'firstKey' : sign === '[' ? 'firstItem' : next();
    } else if (sign === ':' && expected === 'colon') {
      expected = 'value';
    } else if (sign === ',' && (expected === 'nextMember' || expected === 'nextItem')) {
      expected = expected === 'nextMember' ? 'key' : 'value';
    } else if (sign !== undefined && mayClose && sign === open.at(-1)) {
      open.pop();
      expected = next();
    } else {
      if (/^0\d/.test(text.slice(from - 1, from + 1))) return at(from - 1, LEADING_ZERO);
      const but = begin === text.length ? 'the line ends here' : `there is ${found(text, begin)}`;
      const wanted = mayBeValue && but.endsWith(WORD) ? VALUE : NAMES[expected];
      const isAfterText = text.slice(0, begin).trimEnd().endsWith('"');
      const hint = isAfterText && but.endsWith(WORD) ? QUOTE : '';
      return at(begin, `expected ${wanted}, but ${but}${hint}`);
    }
  }
}

const LEADING_ZERO = 'a number must not begin with 0: write a code, such as a ZIP code, as text';
const WORD = 'another word or number';
const QUOTE = '; a double quote inside text is written \\"';

/** Names the character, unless it belongs to a word, which the message must not repeat. */
function found(text: string, index: number): string {
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  if (/^[\p{L}\p{N}]$/u.test(character)) return WORD;
  if (/^[\p{P}\p{S}]$/u.test(character)) return character;
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `the character U+${code}`;
}

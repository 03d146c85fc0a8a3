import type { Span } from './folded-text.js';
import { CAR_ENDINGS, COMMON_ENDINGS, hostEndingOf } from './host-endings.js';
import { spansOf } from './spans-of.js';

/**
 * An at sign with the domain after it. The search begins at the sign, because a search for the
 * local part would look 64 characters ahead at every character of a text without blanks.
 */
const AT_DOMAIN =
  /@(?<=([^\s@<>()]{1,64})@)(?=\p{L}|\[|[^\s@<>()]{1,200}\.\p{L})[^\s@<>()]{1,255}/gu;

const URLS = /(?:(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}+.-]{1,11}:)?\/\/\S+/gu;
const WWW = /www\.\S+/giu;

const HANDLES = /(?<![\p{L}\p{N}_@])@(?:\p{N}{1,6}\p{L}{3}|[\p{L}_])[\p{L}\p{N}_.-]{1,63}/gu;
/** The name of an account after the name of a network and a colon. */
const ACCOUNTS =
  /(?<![\p{L}\p{N}])(?:instagram|insta|ig|facebook|fb|twitter|tiktok|snapchat|telegram|whatsapp|wechat|youtube|linkedin)\s{0,2}:\s{0,2}(?<contact>[\p{L}\p{N}_.]{2,64})/giu;

const WORD = String.raw`[\p{L}\p{N}_-]{1,63}`;
const DOT = String.raw`(?:\s{0,2}[([{]\s?(?:dot|\.)\s?[)\]}]\s{0,2}|\s{1,2}dot\s{1,2})`;
const BRACKETED_AT = String.raw`\s{0,2}[([{]\s?(?:at|@)\s?[)\]}]\s{0,2}`;
const MAIL_HOST = 'gmail|googlemail|yahoo|hotmail|outlook|icloud|aol|msn|live|proton|protonmail';
const ENDING = `(?:${[...COMMON_ENDINGS, ...CAR_ENDINGS].join('|')})`;
const WORD_END = String.raw`(?![\p{L}\p{N}])`;
/** Addresses and hosts with the word "dot" or "at", or with a bracket, in place of a sign. */
const SPELLED_OUT = [
  String.raw`(?:${WORD}(?:\.|${DOT})){0,2}${WORD}${BRACKETED_AT}${WORD}(?:(?:\.|${DOT})${WORD}){1,3}`,
  String.raw`(?:${WORD}(?:\.|${DOT})){0,2}${WORD}\s{1,2}(?:at|@)\s{1,2}(?:${MAIL_HOST})(?:\.|${DOT})com`,
  `${WORD}(?:${DOT}${WORD})?${DOT}${ENDING}`,
  String.raw`[\p{L}\p{N}_-]{2,60}dotcom`,
].map((source) => new RegExp(String.raw`(?<![\p{L}\p{N}_-])${source}${WORD_END}`, 'giu'));

/** Labels with dots between them; also ideographic full stops, which browsers treat as dots. */
const DOTTED = /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+(?:[.。][\p{L}\p{N}_-]+)+/gu;
const PORT_AND_PATH = /(?::\d{1,5})?(?:[/?#]\S*)?/y;

const TRAILING = /[.,;:!?'"…]/;

/**
 * Finds e-mail addresses, URLs, hosts and handles, also where they are spelled out ("lakeside dot
 * com").
 */
export function* findHosts(plain: string): Generator<Span> {
  for (const { 0: domain, 1: local = '', index } of plain.matchAll(AT_DOMAIN)) {
    yield trimmed(plain, index - local.length, index + domain.length);
  }
  for (const pattern of [URLS, WWW, HANDLES]) {
    for (const [start, end] of spansOf(plain, pattern)) yield trimmed(plain, start, end);
  }
  for (const pattern of [ACCOUNTS, ...SPELLED_OUT]) yield* spansOf(plain, pattern);
  let found = 0;
  for (const { 0: dotted, index } of plain.matchAll(DOTTED)) {
    // A host in the path of another one was found with it. Each path is therefore read only once.
    if (index + dotted.length <= found) continue;
    const end = hostEnd(plain, dotted, index);
    if (end === undefined) continue;
    yield trimmed(plain, index, end);
    found = end;
  }
}

/** Returns where the last host in a sequence of labels ends, with its port and path. */
function hostEnd(plain: string, dotted: string, index: number): number | undefined {
  let found: number | undefined;
  let at = index;
  let before: string | undefined;
  for (const label of dotted.split(/[.。]/)) {
    const next = at + label.length;
    const ending = before && hostEndingOf(label, before, plain[next] === '/');
    if (ending) found = at + ending.length;
    before = label;
    at = next + 1;
  }
  if (found === undefined) return undefined;
  PORT_AND_PATH.lastIndex = found;
  return found + (PORT_AND_PATH.exec(plain)?.[0].length ?? 0);
}

/** Excludes the punctuation of the sentence after an address. */
function trimmed(plain: string, start: number, end: number): Span {
  let last = end;
  while (last > start + 1 && TRAILING.test(plain.charAt(last - 1))) last -= 1;
  return [start, last];
}

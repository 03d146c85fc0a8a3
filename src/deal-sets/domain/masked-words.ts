import { dealershipNamePattern } from './dealership-name.js';

/** The text that replaces what identifies a dealership. */
const MASK = '•••';

/**
 * An at sign with the domain after it; the group is the local part before it. The search begins at
 * the sign, because a search for the local part would look 64 characters ahead at every character
 * of a text without blanks.
 */
const AT_DOMAIN = /@(?<=([^\s@<>()]{1,64})@)[^\s@<>()]{1,255}/gu;

/**
 * The endings by which a word that contains dots is recognized as a host name. `sql/listings.sql`
 * has the same list.
 */
export const HOST_ENDINGS = ['com', 'net', 'org', 'us', 'io', 'co', 'cars', 'biz', 'info'];
const HOST_ENDING = HOST_ENDINGS.join('|');

/**
 * Patterns of URLs, hosts, telephone numbers and VINs. `sql/listings.sql` detects the same ones; a
 * test compares the two. Each pattern is searched for separately, so that the engine can skip
 * characters that cannot begin a match.
 */
const CONTACTS = [
  /(?:https?:)?\/\/\S+/giu,
  /www\.\S+/giu,
  new RegExp(
    String.raw`(?<![a-z0-9-])(?<![a-z0-9-]\.)(?:[a-z0-9-]+\.)+(?:${HOST_ENDING})(?![a-z0-9])(?:\/\S*)?`,
    'giu',
  ),
  /(?<![+(])[+(]*[0-9](?:[^\p{L}0-9]*[0-9]){9,}/gu,
  /[0-9]{3}[-.–—‑][0-9]{4}/gu,
  /(?<![a-z0-9])(?=[a-z]*(?:[0-9][a-z]*){4})[a-z0-9]{11,}/giu,
];

/**
 * Masks the parts of a message that would identify the dealership: addresses, numbers, and the
 * whole name of the dealership, in upper or lower case.
 *
 * @returns `text` itself when nothing was replaced.
 */
export function maskWords(text: string, name: string): string {
  const normalized = text.normalize('NFC');
  const pattern = dealershipNamePattern(name);
  let masked = withoutAddresses(normalized);
  for (const found of pattern ? [...CONTACTS, pattern] : CONTACTS) {
    masked = masked.replaceAll(found, MASK);
  }
  return masked === normalized ? text : masked;
}

function withoutAddresses(text: string): string {
  let rest = '';
  let done = 0;
  for (const { 0: domain, 1: local = '', index } of text.matchAll(AT_DOMAIN)) {
    const start = Math.max(done, index - local.length);
    rest += `${text.slice(done, start)}${MASK}`;
    done = index + domain.length;
  }
  return rest + text.slice(done);
}

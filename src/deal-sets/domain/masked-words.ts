/** Replaces what identifies a dealership. */
const MASK = '•••';

/** E-mail addresses, URLs, hosts, telephone numbers and VINs, as sql/listings.sql knows them too. */
const CONTACTS = new RegExp(
  [
    // The lengths that addresses have at most keep a long word from being searched again for each of its letters.
    '[^\\s@<>()]{1,64}@[^\\s@<>()]{1,255}',
    '(?:https?:)?//\\S+',
    'www\\.\\S+',
    '(?<![a-z0-9-])(?<![a-z0-9-]\\.)(?:[a-z0-9-]+\\.)+(?:com|net|org|us|io|co|cars|biz|info)(?![a-z0-9])(?:/\\S*)?',
    '[+(]*[0-9](?:[^\\p{L}0-9]*[0-9]){9,}',
    '[0-9]{3}[-.–—‑][0-9]{4}',
    '(?<![a-z0-9])(?=[a-z]*(?:[0-9][a-z]*){4})[a-z0-9]{11,}',
  ].join('|'),
  'giu',
);

/**
 * The words of a message without what would identify the dealership: addresses, numbers, its name (whole, in any case).
 * @returns `text` itself when nothing had to be replaced.
 */
export function maskWords(text: string, name: string): string {
  const given = text.normalize('NFC');
  const contactless = given.replaceAll(CONTACTS, MASK);
  const masked = name.trim() === '' ? contactless : contactless.replaceAll(nameIn(name), MASK);
  return masked === given ? text : masked;
}

function nameIn(name: string): RegExp {
  const escaped = name.normalize('NFC').replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const words = escaped.trim().split(/\s+/u);
  return new RegExp(`(?<![\\p{L}\\p{N}])${words.join('\\s+')}(?![\\p{L}\\p{N}])`, 'giu');
}

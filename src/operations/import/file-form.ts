/** Compressed forms of a file: their first bytes, their name, and a command that reads the file. */
const COMPRESSED: readonly (readonly [start: string, name: string, command: string])[] = [
  ['1f8b', 'gzip', 'zcat FILE'],
  ['28b52ffd', 'zstd', 'zstdcat FILE'],
  ['504b0304', 'zip', 'unzip -p FILE'],
  ['425a68', 'bzip2', 'bzcat FILE'],
  ['fd377a58', 'xz', 'xzcat FILE'],
];

/** The number of bytes by which a form is recognized. */
export const FORM_BYTES = 4;

/**
 * Returns why a file cannot be read as text in UTF-8.
 *
 * @param start the first bytes of the file, `FORM_BYTES` of them if it has as many.
 * @returns undefined if the bytes can begin a file in UTF-8.
 */
export function unreadableForm(start: Buffer): string | undefined {
  const hex = start.toString('hex');
  for (const [first, name, command] of COMPRESSED) {
    if (hex.startsWith(first)) {
      return `is compressed with ${name}: import it with \`${command} | deal-sets import -\``;
    }
  }
  // UTF-16 begins with a byte order mark, or has a zero byte in each character of ASCII.
  const isUtf16 = /^(?:fffe|feff|00(?!00)|(?!00)[0-9a-f]{2}00)/.test(hex);
  return isUtf16 ? 'is UTF-16: save the file as UTF-8' : undefined;
}

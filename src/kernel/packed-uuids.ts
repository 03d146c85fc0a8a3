import { isUuid } from './uuid.js';

/**
 * UUIDs as one text: base64 of their 16 bytes each, one after the other. The database stores and sends long lists of
 * ids in this form, at 22 characters an id in place of 37; `''` is the empty list.
 */
export type PackedUuids = string;

/**
 * @param ids UUIDs.
 * @throws {TypeError} when one is none; never with its text.
 */
export function packUuids(ids: readonly string[]): PackedUuids {
  // What is no UUID would end the list without a word.
  if (!ids.every(isUuid)) throw new TypeError('packed ids are UUIDs');
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex').toString('base64');
}

/** @returns the UUIDs in lower case, in their order. */
export function unpackUuids(packed: PackedUuids): string[] {
  const digits = Buffer.from(packed, 'base64').toString('hex');
  if (digits.length % 32 !== 0) throw new TypeError('packed ids are not whole');
  const ids: string[] = [];
  for (let at = 0; at < digits.length; at += 32) {
    const parts = [0, 8, 12, 16, 20, 32].map((end) => at + end);
    ids.push(
      parts
        .slice(1)
        .map((end, index) => digits.slice(parts[index], end))
        .join('-'),
    );
  }
  return ids;
}

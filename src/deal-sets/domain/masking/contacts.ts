import { findHosts } from './hosts.js';
import { findPostalAddresses } from './postal-addresses.js';
import type { Span } from './folded-text.js';
import { findTelephoneNumbers } from './telephone-numbers.js';
import { findVins } from './vins.js';

const DIGIT = /\p{Nd}/u;

/**
 * Finds what would lead to a dealership: e-mail addresses, URLs, hosts, handles, telephone numbers,
 * street addresses, states with a ZIP code, and VINs. The time grows no faster than the text.
 *
 * @param plain a text in plain characters (`foldText`).
 * @returns the spans in `plain`, in no order; they can overlap.
 */
export function findContacts(plain: string): Span[] {
  const hosts = [...findHosts(plain)];
  // All others contain digits. Searching a text for them takes longer than for hosts.
  if (!DIGIT.test(plain)) return hosts;
  return [
    ...hosts,
    ...findTelephoneNumbers(plain),
    ...findPostalAddresses(plain),
    ...findVins(plain),
  ];
}

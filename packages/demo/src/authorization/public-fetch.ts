import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';

/** Addresses that do not belong to one host of the public internet (IANA's registries). */
const SPECIAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv6');
}
/** The global unicast addresses. Loopback, mapped, local and multicast addresses lie outside. */
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');

/** The reason why nothing was fetched. */
export class SpecialAddressError extends Error {
  override readonly name = 'SpecialAddressError';

  constructor() {
    super('the address is not a public one');
  }
}

/** Returns whether an IP address belongs to a host of the public internet. */
export function isPublic(address: string): boolean {
  if (!isIPv6(address)) return !SPECIAL.check(address, 'ipv4');
  return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

/**
 * Resolves a host name like Node does, and fails if one of its addresses is not public. The
 * connection is made to an address that was checked here, so another answer of the name server
 * cannot take its place.
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) {
      callback(error, '');
      return;
    }
    const [first] = addresses;
    if (!first || !addresses.every(({ address }) => isPublic(address)))
      callback(new SpecialAddressError(), '');
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

const agent = new Agent({ connect: { lookup: lookupPublic } });

/**
 * Fetches from public addresses only. Other addresses are rejected before a connection is opened,
 * so that a client's metadata cannot make the demo contact this machine or its network.
 *
 * @throws {SpecialAddressError} for the IP address of a host that is not public. For a name that
 *   resolves to one, it is the `cause`.
 */
export const publicFetch = (async (input: string | URL, options: object = {}) => {
  const { hostname } = new URL(input);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  // Node does not look up IP addresses.
  if (isIP(address) && !isPublic(address)) throw new SpecialAddressError();
  return fetch(input, { ...options, dispatcher: agent });
}) as unknown as typeof globalThis.fetch;

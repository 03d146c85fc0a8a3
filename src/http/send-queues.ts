import { readFile } from 'node:fs/promises';
import { isIPv6, type Socket } from 'node:net';
import { endianness } from 'node:os';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
/** Local address, remote address and send queue of a connection whose send queue is not empty. */
const WAITING =
  / ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} (?!0{8})([0-9A-F]{8}):/g;
const HEX = 16;
const MAPPED_IPV4 = '::ffff:';

/**
 * The bytes of each connection that the system holds because the peer has not acknowledged them. Node
 * reports only what it handed to the system, and that takes megabytes for a client that reads nothing.
 * Linux lists its send queues; on other systems none are known.
 */
export class SendQueues {
  #isKnown = process.platform === 'linux';

  /** @returns the length of each queue that is not empty, by `connectionKey`. */
  async read(): Promise<ReadonlyMap<string, number>> {
    const queues = new Map<string, number>();
    if (!this.#isKnown) return queues;
    const tables = await Promise.allSettled(TABLES.map((path) => readFile(path, 'latin1')));
    this.#isKnown = tables.some(({ status }) => status === 'fulfilled');
    for (const table of tables) {
      if (table.status === 'rejected') continue;
      for (const [, local, remote, queued = ''] of table.value.matchAll(WAITING)) {
        queues.set(`${local}-${remote}`, Number.parseInt(queued, HEX));
      }
    }
    return queues;
  }
}

/** How the system's list names a connection; undefined when it is closed. */
export function connectionKey(socket: Socket): string | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || remoteAddress === undefined) return undefined;
  return `${endpoint(localAddress, localPort)}-${endpoint(remoteAddress, remotePort)}`;
}

/** Address and port in hexadecimal; the address in 32-bit words of the machine's byte order. */
export function endpoint(address: string, port = 0): string {
  const bytes = addressBytes(address);
  if (endianness() === 'LE') bytes.swap32();
  const name = `${bytes.toString('hex')}:${port.toString(HEX).padStart(4, '0')}`;
  return name.toUpperCase();
}

function addressBytes(address: string): Buffer {
  if (address.startsWith(MAPPED_IPV4) && address.includes('.')) {
    const prefix = Buffer.from('00000000000000000000ffff', 'hex');
    return Buffer.concat([prefix, addressBytes(address.slice(MAPPED_IPV4.length))]);
  }
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [before = [], after = []] = address
    .replace(/%.*$/, '')
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

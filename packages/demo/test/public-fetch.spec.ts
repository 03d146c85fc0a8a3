import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { isPublic, publicFetch, SpecialAddressError } from '../src/authorization/public-fetch.js';
import { AuthorizationRequest, DemoService } from './demo-service.js';

describe('a fetch from public addresses', () => {
  const servers: Server[] = [];
  const contacted: string[] = [];
  let port: number;

  async function listen(host: string, on: number): Promise<number> {
    const server = createServer((socket) => {
      contacted.push(host);
      socket.destroy();
    }).listen(on, host);
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  beforeAll(async () => {
    port = await listen('127.0.0.1', 0);
    // A machine without IPv6 has no such address to contact.
    await listen('::1', port).catch(() => undefined);
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it.each([
    '127.0.0.1',
    '[::1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '[fe80::1]',
    '[fd00::1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ])('opens no connection to %s', async (host) => {
    await expect(publicFetch(`https://${host}:${port}/client.json`)).rejects.toBeInstanceOf(
      SpecialAddressError,
    );
    expect(contacted).toEqual([]);
  });

  it('opens no connection to a name of this machine', async () => {
    await expect(publicFetch(`https://localhost:${port}/client.json`)).rejects.toMatchObject({
      cause: expect.any(SpecialAddressError) as Error,
    });
    expect(contacted).toEqual([]);
  });

  it.each([
    ['8.8.8.8', true],
    ['100.63.255.255', true],
    ['100.64.0.0', false],
    ['172.32.0.1', true],
    ['223.255.255.255', true],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['2606:4700::1111', true],
    ['2001:db8::1', false],
    ['::ffff:8.8.8.8', false],
    ['ff02::1', false],
  ])('takes %s as public: %s', (address, isExpected) => {
    expect(isPublic(address)).toBe(isExpected);
  });

  it('is how the demo reads the metadata of a client', async () => {
    const service = await DemoService.start();
    try {
      const clientId = `https://127.0.0.1:${port}/client.json`;
      const address = new AuthorizationRequest(service, clientId).address();
      const { status } = await service.cookieClient().get(address);
      expect([status, contacted]).toEqual([400, []]);
    } finally {
      await service.stop();
    }
  });
});

import { endpoint } from './send-queues.js';

/** As Linux on a machine with the low byte first lists them. */
describe('the system’s name of an endpoint', () => {
  it.each([
    ['127.0.0.1', 3000, '0100007F:0BB8'],
    ['192.168.1.20', 80, '1401A8C0:0050'],
    ['::1', 3000, '00000000000000000000000001000000:0BB8'],
    ['::', 1, '00000000000000000000000000000000:0001'],
    ['::ffff:127.0.0.1', 3000, '0000000000000000FFFF00000100007F:0BB8'],
    ['2001:db8::8a2e:370:7334', 443, 'B80D0120000000002E8A000034737003:01BB'],
    ['fe80::1%eth0', 443, '000080FE000000000000000001000000:01BB'],
  ])('of %s port %s is %s', (address, port, name) => {
    expect(endpoint(address, port)).toBe(name);
  });
});

import type { IssuerFailureReason } from '../../../src/auth/issuer/issuer-failure.js';
import type { KeyServer } from '../../../packages/testing/src/key-server.js';
import { makeKey } from '../../../packages/testing/src/test-issuer.js';

/** A fault of a key set: the reason in the log, and what causes it. */
type KeySetFault = readonly [
  reason: IssuerFailureReason,
  cause: (server: KeyServer) => void | Promise<void>,
];

/** Key-set faults, as an issuer, a proxy or a network causes them. */
export const KEY_SET_FAULTS: Readonly<Record<string, KeySetFault>> = {
  'returns 500': ['not_200', (server) => server.answerText('{"keys":[]}', 500)],
  'returns 404': ['not_200', (server) => server.answerText('not here', 404)],
  redirects: [
    'redirect',
    (server) =>
      server.misbehave((_request, response) =>
        response.writeHead(302, { location: '/elsewhere' }).end(),
      ),
  ],
  'returns HTML': [
    'not_json',
    (server) => server.answerText('<html>Sign in to the network</html>', 200, 'text/html'),
  ],
  'returns half of the JSON': ['not_json', (server) => server.answerText('{"keys":[{"kty":"EC"')],
  'returns JSON that is not a key set': ['no_key', (server) => server.answerText('{"jwks":[]}')],
  'returns null': ['no_key', (server) => server.answerText('null')],
  'returns an empty key set': ['no_key', (server) => server.publish()],
  'returns a key set without a key': [
    'no_key',
    (server) => server.answerText('{"keys":[null,"key",{"kid":"first"},[]]}'),
  ],
  'returns more than 256 KiB': [
    'too_large',
    (server) => server.publish({ ...makeKey('first').jwk, pad: 'x'.repeat(256 * 1024) }),
  ],
  'never responds': ['too_slow', (server) => server.misbehave(() => undefined)],
  'sends its response byte by byte': [
    'too_slow',
    (server) =>
      server.misbehave((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(drip));
      }),
  ],
  'closes the connection': [
    'unreachable',
    (server) => server.misbehave((request) => request.socket.destroy()),
  ],
  'announces more than it sends': [
    'unreachable',
    (server) =>
      server.misbehave((_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"keys":[]}', () => response.destroy());
      }),
  ],
  'refuses connections': ['unreachable', (server) => server.close()],
};

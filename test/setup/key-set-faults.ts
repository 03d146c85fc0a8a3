import type { KeyServer } from '../../packages/testing/src/key-server.js';

/** Key-set faults, as an issuer, a proxy or a network causes them. */
export const KEY_SET_FAULTS: Readonly<Record<string, (server: KeyServer) => void | Promise<void>>> =
  {
    'returns 500': (server) => server.answerText('{"keys":[]}', 500),
    'returns 404': (server) => server.answerText('not here', 404),
    redirects: (server) =>
      server.misbehave((_request, response) =>
        response.writeHead(302, { location: '/elsewhere' }).end(),
      ),
    'returns HTML': (server) =>
      server.answerText('<html>Sign in to the network</html>', 200, 'text/html'),
    'returns half of the JSON': (server) => server.answerText('{"keys":[{"kty":"EC"'),
    'returns JSON that is not a key set': (server) => server.answerText('{"jwks":[]}'),
    'returns null': (server) => server.answerText('null'),
    'returns an empty key set': (server) => server.publish(),
    'returns encryption keys alone': (server) =>
      server.publish({ kty: 'RSA', use: 'enc', kid: 'e', n: 'AQAB', e: 'AQAB' }),
    'returns symmetric keys alone': (server) =>
      server.publish({ kty: 'oct', kid: 'k', k: 'c2VjcmV0' }),
    'returns far too much': (server) =>
      server.answerText(JSON.stringify({ keys: [], pad: 'x'.repeat(200_000) })),
    'never responds': (server) => server.misbehave(() => undefined),
    'sends its response byte by byte': (server) =>
      server.misbehave((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(drip));
      }),
    'closes the connection': (server) => server.misbehave((request) => request.socket.destroy()),
    'announces more than it sends': (server) =>
      server.misbehave((_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"keys":[]}', () => response.destroy());
      }),
    'refuses connections': (server) => server.close(),
  };

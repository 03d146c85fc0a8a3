import { KNOWN_ID } from './edge-app.js';

/** `code` is absent where data is answered, or where the table's own code is. */
type Row = readonly [name: string, bytes: string | Buffer, status: number, code?: string];

export interface Case {
  readonly name: string;
  readonly bytes: string | Buffer;
  readonly status: number;
  readonly code: string | undefined;
}

function cases(rows: readonly Row[]): Case[] {
  return rows.map(([name, bytes, status, code]) => ({ name, bytes, status, code }));
}

export const LIST = '/api/v1/deal-sets';
export const GOOD = `GET ${LIST} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A request line with a Host, and the given rest. */
export function get(path: string, ...lines: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
}

export function send(method: string, path: string, ...lines: string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
}

export const SIGNED_IN = 'Authorization: Bearer pretended';

/** Requests that HTTP allows: answered, and the connection serves the next one. */
export const WELL_FORMED = cases([
  ['the list', GOOD, 200],
  ['the list with a query that holds anything', get(`${LIST}?a=%FF&b=%00&%zz&=&since`), 200],
  ['an absolute target', get(`http://example.test${LIST}`), 200],
  ['an absolute target without a path', get('http://example.test'), 404, 'not_found'],
  ['an If-None-Match that matches everything', get(LIST, 'If-None-Match: *'), 200],
  ['a Range', get(LIST, 'Range: bytes=0-1'), 200],
  ['a request for another origin', get(LIST, 'Origin: https://evil.test'), 200],
  ['an upgrade to a WebSocket', get(LIST, 'Connection: Upgrade', 'Upgrade: websocket'), 200],
  ['an upgrade to HTTP/2', get(LIST, 'Connection: Upgrade', 'Upgrade: h2c'), 200],
  ['an Accept of something else', get(LIST, 'Accept: application/xml'), 200],
  ['bytes beyond ASCII in a header', get(LIST, 'X-Name: \xff\xfe'), 200],
  ['a broken traceparent', get(LIST, 'traceparent: 00-zz'), 200],
  [
    'a body that is not JSON',
    `${get(LIST, 'Content-Type: application/json', 'Content-Length: 4').trimEnd()}\r\n\r\n{"a"`,
    200,
  ],
  [
    'a body of no type',
    `${get(LIST, 'Content-Type: nonsense', 'Content-Length: 2').trimEnd()}\r\n\r\nhi`,
    200,
  ],
  [
    'a chunked body',
    `${get(LIST, 'Transfer-Encoding: chunked').trimEnd()}\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    200,
  ],
  ['the get, signed in', get(`${LIST}/${KNOWN_ID}`, SIGNED_IN), 200],
  ['the get in upper case', get(`${LIST}/${KNOWN_ID.toUpperCase()}`, SIGNED_IN), 200],
  ['the get, signed out', get(`${LIST}/${KNOWN_ID}`), 401, 'unauthenticated'],
  ['bad percent-encoding as an id, signed out', get(`${LIST}/%FF`), 401, 'unauthenticated'],
  ['bad percent-encoding as an id', get(`${LIST}/%FF`, SIGNED_IN), 404, 'not_found'],
  ['cut percent-encoding as an id', get(`${LIST}/%`, SIGNED_IN), 404, 'not_found'],
  ['percent-encoding of no digits as an id', get(`${LIST}/%zz%2`, SIGNED_IN), 404, 'not_found'],
  ['a NUL as an id', get(`${LIST}/%00`, SIGNED_IN), 404, 'not_found'],
  ['an encoded slash as an id, signed out', get(`${LIST}/a%2Fb`), 401, 'unauthenticated'],
  ['an encoded slash as an id', get(`${LIST}/a%2Fb`, SIGNED_IN), 404, 'not_found'],
  [
    'an encoded line break as an id',
    get(`${LIST}/%0d%0aSet-Cookie:%20a=b`, SIGNED_IN),
    404,
    'not_found',
  ],
  ['an overlong encoding as an id', get(`${LIST}/%C0%AF`, SIGNED_IN), 404, 'not_found'],
  ['a lone surrogate as an id', get(`${LIST}/%ED%A0%80`, SIGNED_IN), 404, 'not_found'],
  [
    'an id of 15,000 characters, signed out',
    get(`${LIST}/${'a'.repeat(15_000)}`),
    401,
    'unauthenticated',
  ],
  ['an id of 15,000 characters', get(`${LIST}/${'a'.repeat(15_000)}`, SIGNED_IN), 404, 'not_found'],
  ['a trailing slash', get(`${LIST}/`), 404, 'not_found'],
  ['a trailing slash after an id', get(`${LIST}/${KNOWN_ID}/`), 404, 'not_found'],
  ['a double slash', get(`//api/v1/deal-sets`), 404, 'not_found'],
  ['a path of another case', get('/API/v1/deal-sets'), 404, 'not_found'],
  ['a slash that is encoded', get('/api/v1%2Fdeal-sets'), 404, 'not_found'],
  ['a dot segment', get('/api/v1/x/../deal-sets'), 404, 'not_found'],
  ['bad percent-encoding elsewhere', get('/nowhere/%FF'), 404, 'not_found'],
  ['a target that is neither path nor URL', get('*'), 404, 'not_found'],
  ['an absolute target of another scheme', get(`ftp://a${LIST}`), 404, 'not_found'],
  ['an unknown path', get('/nowhere'), 404, 'not_found'],
  ['the root', get('/'), 404, 'not_found'],
  ['POST', send('POST', LIST, 'Content-Length: 0'), 404, 'not_found'],
  [
    'POST with broken JSON',
    `${send('POST', LIST, 'Content-Type: application/json', 'Content-Length: 1').trimEnd()}\r\n\r\n{`,
    404,
    'not_found',
  ],
  [
    'PUT with an unknown type',
    `${send('PUT', LIST, 'Content-Type: x/y', 'Content-Length: 1').trimEnd()}\r\n\r\n{`,
    404,
    'not_found',
  ],
  [
    'PATCH with a malformed type',
    `${send('PATCH', LIST, 'Content-Type: ;;', 'Content-Length: 1').trimEnd()}\r\n\r\n{`,
    404,
    'not_found',
  ],
  ['DELETE', send('DELETE', `${LIST}/${KNOWN_ID}`, SIGNED_IN), 404, 'not_found'],
  ['OPTIONS', send('OPTIONS', LIST), 404, 'not_found'],
  [
    'OPTIONS before a cross-origin call',
    send('OPTIONS', LIST, 'Origin: https://evil.test', 'Access-Control-Request-Method: GET'),
    404,
    'not_found',
  ],
  ['OPTIONS *', send('OPTIONS', '*'), 404, 'not_found'],
  ['TRACE', send('TRACE', LIST), 404, 'not_found'],
  ['PROPFIND', send('PROPFIND', LIST), 404, 'not_found'],
  ['QUERY', send('SEARCH', LIST), 404, 'not_found'],
  ['PURGE', send('PURGE', LIST), 404, 'not_found'],
  ['M-SEARCH', send('M-SEARCH', LIST), 404, 'not_found'],
  [
    'two cookies lines and two Accept lines',
    get(LIST, 'Cookie: a=1', 'Cookie: a=2', 'Accept: a', 'Accept: b'),
    200,
  ],
]);

/** Requests that are refused below the routes, and what is answered before the connection closes. */
export const REFUSED = cases([
  ['garbage', 'hello there\r\n\r\n', 400],
  ['NULs', Buffer.alloc(64), 400],
  ['a TLS ClientHello', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['an SSH banner', 'SSH-2.0-OpenSSH_9.2\r\n', 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['HTTP/9.9', `GET ${LIST} HTTP/9.9\r\nHost: a\r\n\r\n`, 400],
  ['a method in lower case', `get ${LIST} HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
  ['an unknown method', `FETCH ${LIST} HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
  ['bare line feeds', `GET ${LIST} HTTP/1.1\nHost: a\n\n`, 400],
  ['a space in the target', `GET ${LIST} x HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
  ['a control character in the target', `GET ${LIST}/\x01 HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
  ['no target', 'GET  HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a header without a colon', `GET ${LIST} HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`, 400],
  ['a header name with a space', `GET ${LIST} HTTP/1.1\r\nHost : a\r\n\r\n`, 400],
  ['a NUL in a header', `GET ${LIST} HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n`, 400],
  [
    'a bare CR in a header',
    `GET ${LIST} HTTP/1.1\r\nHost: a\r\nX: a\rSet-Cookie: b=c\r\n\r\n`,
    400,
  ],
  ['a folded header', `GET ${LIST} HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb c\x00\r\n\r\n`, 400],
  [
    'a Content-Length that is no number',
    `GET ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: ten\r\n\r\n`,
    400,
  ],
  [
    'a negative Content-Length',
    `GET ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`,
    400,
  ],
  [
    'a Content-Length beyond all numbers',
    `GET ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n`,
    400,
  ],
  [
    'two Content-Lengths that differ',
    `GET ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    400,
  ],
  [
    'Content-Length with Transfer-Encoding',
    `POST ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'Transfer-Encoding that ends in no chunks',
    `POST ${LIST} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['headers of 20 kB', get(LIST, `X: ${'a'.repeat(20_000)}`), 431],
  [
    'a thousand headers',
    get(LIST, ...Array.from({ length: 1_500 }, (_, n) => `X-${n}: 0123456789`)),
    431,
  ],
  ['a parameter of 20 kB', get(`${LIST}/${'a'.repeat(20_000)}`), 431],
  ['a query of 20 kB', get(`${LIST}?a=${'a'.repeat(20_000)}`), 431],
  [
    'CONNECT',
    'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n',
    404,
    'not_found',
  ],
  ['CONNECT to a path', `CONNECT ${LIST} HTTP/1.1\r\nHost: a\r\n\r\n`, 404, 'not_found'],
]);

/** Refused on a connection that stays good: the request was read whole. */
export const REFUSED_POLITELY = cases([
  ['no Host', `GET ${LIST} HTTP/1.1\r\n\r\n`, 400],
  ['an empty Host', `GET ${LIST} HTTP/1.1\r\nHost:\r\n\r\n`, 400],
  ['no Host with an absolute target', `GET http://a${LIST} HTTP/1.1\r\n\r\n`, 400],
  ['an unknown expectation', get(LIST, 'Expect: a-pony'), 417],
]);

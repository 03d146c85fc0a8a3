import { bearerTokenIn } from './bearer-header.js';

/**
 * Builds raw headers as alternating names and values. Every Node request has them in this form,
 * including requests over HTTP/2 and those of Fastify's `inject`.
 */
function headers(...authorization: string[]): string[] {
  return ['Host', 'authorization', ...authorization.flatMap((value) => ['Authorization', value])];
}

describe('the bearer token of a request', () => {
  it.each(['Bearer abc.def-_~+/==', 'bearer abc.def-_~+/==', 'BEARER   abc.def-_~+/=='])(
    'is read from %j',
    (value) => {
      expect(bearerTokenIn(headers(value))).toBe('abc.def-_~+/==');
    },
  );

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a,b',
    'Bearer a, Bearer b',
    'Bearer\ta',
    'Bearer  ',
    'Bearera',
    'xBearer a',
    'Bearer =a',
    'Bearer a=b',
    'Bearer "a"',
    'Basic YTpi',
    'Digest username="a"',
    'DPoP abc',
    'Token abc',
    'abc.def.ghi',
  ])('is absent in %j', (value) => {
    expect(bearerTokenIn(headers(value))).toBeUndefined();
  });

  it('is absent when there are two headers, even identical ones', () => {
    expect(bearerTokenIn(headers('Bearer abc', 'Bearer abc'))).toBeUndefined();
    expect(bearerTokenIn(headers('Bearer abc', ''))).toBeUndefined();
  });
});

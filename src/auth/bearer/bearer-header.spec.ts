import { distinctHeaders } from '../../http/context/distinct-headers.js';
import { bearerToken } from './bearer-header.js';

/** Returns the bearer token of a request with the given Authorization headers. */
function tokenOf(...authorization: string[]): string | undefined {
  const raw = ['Host', 'authorization'];
  return bearerToken(
    distinctHeaders([...raw, ...authorization.flatMap((value) => ['Authorization', value])]),
  );
}

describe('the bearer token of a request', () => {
  it.each(['Bearer abc.def-_~+/==', 'bearer abc.def-_~+/==', 'BEARER   abc.def-_~+/=='])(
    'is read from %j',
    (value) => {
      expect(tokenOf(value)).toBe('abc.def-_~+/==');
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
    expect(tokenOf(value)).toBeUndefined();
  });

  it('is absent when there are two headers, even identical ones', () => {
    expect(tokenOf('Bearer abc', 'Bearer abc')).toBeUndefined();
    expect(tokenOf('Bearer abc', '')).toBeUndefined();
  });

  it('is read from a header whose name is in any case, and from no header without a value', () => {
    expect(bearerToken(distinctHeaders(['AUTHORIZATION', 'Bearer abc']))).toBe('abc');
    expect(bearerToken(distinctHeaders(['__proto__', 'Bearer abc']))).toBeUndefined();
    expect(bearerToken({})).toBeUndefined();
  });
});

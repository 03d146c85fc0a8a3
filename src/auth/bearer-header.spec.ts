import { bearerToken } from './bearer-header.js';

/** As Node presents a request's headers: of several Authorization headers the first. */
function request(...values: string[]): Parameters<typeof bearerToken>[0] {
  return {
    headers: { authorization: values[0] },
    rawHeaders: [
      'Host',
      'localhost',
      ...values.flatMap((value, index) => [index ? 'AUTHORIZATION' : 'Authorization', value]),
    ],
  };
}

describe('the bearer token of a request', () => {
  it.each(['Bearer abc.def-_~+/==', 'bearer abc.def-_~+/==', 'BEARER   abc.def-_~+/=='])(
    'is read from %j',
    (value) => {
      expect(bearerToken(request(value))).toBe('abc.def-_~+/==');
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
  ])('is none in %j', (value) => {
    expect(bearerToken(request(value))).toBeUndefined();
  });

  it('is none when there are two headers, even alike', () => {
    expect(bearerToken(request('Bearer abc', 'Bearer abc'))).toBeUndefined();
    expect(bearerToken(request('Bearer abc', ''))).toBeUndefined();
  });

  it('is not looked for in a value that happens to be the name of the header', () => {
    const { headers } = request('Bearer abc');
    const rawHeaders = ['Authorization', 'Bearer abc', 'X-Name', 'authorization'];
    expect(bearerToken({ headers, rawHeaders })).toBe('abc');
  });
});

import { distinctHeaders, rawHeadersOf } from './distinct-headers.js';

describe('the headers of a request', () => {
  const headers = { authorization: 'Bearer a', cookie: ['a=1', 'b=2'] as never };

  it('are those that were sent, line by line', () => {
    const rawHeaders = ['Authorization', 'Bearer b', 'Authorization', 'Bearer c'];
    expect(rawHeadersOf({ rawHeaders, headers })).toBe(rawHeaders);
  });

  it.each([[], undefined])('are those of an adapter that has no lines: %p', (rawHeaders) => {
    const request = rawHeaders ? { rawHeaders, headers } : { headers };
    expect(distinctHeaders(rawHeadersOf(request))).toEqual({
      authorization: ['Bearer a'],
      cookie: ['a=1', 'b=2'],
    });
    expect(rawHeadersOf({})).toEqual([]);
  });
});

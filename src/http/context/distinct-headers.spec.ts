import { headersOf } from './distinct-headers.js';

describe('the headers of a request', () => {
  it('are its lines, if it has any', () => {
    const rawHeaders = ['Cookie', 'a=1', 'cookie', 'b=2'];
    expect(headersOf({ rawHeaders, headers: { cookie: 'joined' } })).toEqual({
      cookie: ['a=1', 'b=2'],
    });
  });

  it('are its joined headers, if it has no lines', () => {
    const headers = { authorization: 'Bearer abc', 'set-cookie': ['a=1', 'b=2'] };
    expect(headersOf({ rawHeaders: [], headers })).toEqual({
      authorization: ['Bearer abc'],
      'set-cookie': ['a=1', 'b=2'],
    });
  });
});

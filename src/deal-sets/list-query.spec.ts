import { sinceOf } from './list-query.js';

const path = '/api/v1/deal-sets';

describe('sinceOf', () => {
  it.each([
    ['no query', path],
    ['an empty query', `${path}?`],
    ['other names', `${path}?n=1&Since=x&since[]=x&xsince=1`],
  ])('finds none with %s', (_what, target) => expect(sinceOf(target)).toBeNull());

  it.each([
    ['a plain time', `${path}?since=2026-11-20T10:00:00Z`],
    ['an escaped offset', `${path}?since=2026-11-20T12:00:00%2B02:00`],
    ['escapes throughout', `${path}?%73ince=2026-11-20T10%3A00%3A00Z`],
    ['other names beside it', `${path}?a=b&since=2026-11-20T10:00:00Z&c`],
  ])('reads %s', (_what, target) =>
    expect(sinceOf(target)).toBe(Date.parse('2026-11-20T10:00:00Z')),
  );

  it.each([
    ['nothing', `${path}?since=`],
    ['no value at all', `${path}?since`],
    ['an unescaped plus', `${path}?since=2026-11-20T12:00:00+02:00`],
    ['a repetition', `${path}?since=2026-11-20T10:00:00Z&since=2026-11-20T10:00:00Z`],
    ['a broken escape', `${path}?since=2026-11-20T10:00:00Z%`],
    ['a broken UTF-8 sequence', `${path}?since=%FF`],
    ['a NUL', `${path}?since=2026-11-20T10:00:00Z%00`],
  ])('refuses %s', (_what, target) => expect(() => sinceOf(target)).toThrow('invalid_request'));
});

import { AppError } from '../../kernel/app-error.js';
import { InputPipe } from '../../http/input.pipe.js';
import { parseQueryString } from '../../http/query-string.js';
import { ListQueryDto } from './list-query.dto.js';

const sinceOf = (query: string): string | undefined => {
  const pipe = new InputPipe();
  const dto = pipe.transform(parseQueryString(query), { type: 'query', metatype: ListQueryDto });
  return (dto as ListQueryDto).since;
};

describe('ListQueryDto', () => {
  it.each([
    ['no query', ''],
    ['other names', 'n=1&Since=x&since[]=x&xsince=1&__proto__=x&constructor=y'],
  ])('has no since with %s', (_what, query) => expect(sinceOf(query)).toBeUndefined());

  it.each([
    ['a plain time', 'since=2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
    ['an escaped offset', 'since=2026-11-20T12:00:00%2B02:00', '2026-11-20T12:00:00+02:00'],
    ['escapes throughout', '%73ince=2026-11-20T10%3A00%3A00Z', '2026-11-20T10:00:00Z'],
    ['other names beside it', 'a=b&since=2026-11-20T10:00:00Z&c', '2026-11-20T10:00:00Z'],
  ])('keeps %s as text', (_what, query, since) => expect(sinceOf(query)).toBe(since));

  it.each([
    ['nothing', 'since='],
    ['no value at all', 'since'],
    ['an unescaped plus', 'since=2026-11-20T12:00:00+02:00'],
    ['a repetition', 'since=2026-11-20T10:00:00Z&since=2026-11-20T10:00:00Z'],
    ['a broken escape', 'since=2026-11-20T10:00:00Z%'],
    ['a broken UTF-8 sequence', 'since=%FF'],
    ['a NUL', 'since=2026-11-20T10:00:00Z%00'],
  ])('refuses %s and names since', (_what, query) => {
    let refused: unknown;
    try {
      sinceOf(query);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: 'invalid_request', reason: 'since_malformed' });
  });
});

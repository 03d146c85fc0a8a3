import { ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ListQueryDto } from './list-query.dto.js';

const read = (query: object): { readonly since: number | undefined; readonly isGood: boolean } => {
  const dto = plainToInstance(ListQueryDto, query);
  return { since: dto.since, isGood: validateSync(dto).length === 0 };
};

describe('ListQueryDto', () => {
  it.each([
    ['no query', {}],
    ['other names', { n: '1', Since: 'x', 'since[]': 'x', constructor: 'y' }],
  ])('has no since with %s', (_what, query) =>
    expect(read(query)).toEqual({ since: undefined, isGood: true }),
  );

  it.each([
    ['a plain time', '2026-11-20T10:00:00Z'],
    ['an offset', '2026-11-20T12:00:00+02:00'],
    ['its own result', Date.UTC(2026, 10, 20, 10)],
  ])('makes milliseconds of %s', (_what, since) =>
    expect(read({ since })).toEqual({ since: Date.UTC(2026, 10, 20, 10), isGood: true }),
  );

  it.each([
    ['nothing', ''],
    ['an unescaped plus', '2026-11-20T12:00:00 02:00'],
    ['a repetition', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z']],
    ['a broken escape', '2026-11-20T10:00:00Z%'],
    ['a NUL', '2026-11-20T10:00:00Z\u0000'],
    ['a number as text', '1700000000000'],
  ])('refuses %s', (_what, since) => expect(read({ since }).isGood).toBe(false));

  it('gives the same after a pipe of a host that converts types', async () => {
    const host = new ValidationPipe({
      transform: true,
      whitelist: true,
      transformOptions: { enableImplicitConversion: true },
    });
    const metadata = { type: 'query', metatype: ListQueryDto } as const;
    const once = (await host.transform({ since: '2026-11-20T10:00:00Z' }, metadata)) as object;
    expect(await host.transform(once, metadata)).toEqual({ since: Date.UTC(2026, 10, 20, 10) });
  });
});

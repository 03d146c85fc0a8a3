import { ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ListQueryDto } from './list-query.dto.js';

const read = (query: object): { readonly since: number | undefined; readonly isGood: boolean } => {
  const dto = plainToInstance(ListQueryDto, query);
  return { since: dto.since, isGood: validateSync(dto).length === 0 };
};

describe('ListQueryDto', () => {
  it('ignores unknown names', () => {
    const query = { n: '1', Since: 'x', 'since[]': 'x', constructor: 'y' };
    expect(read(query)).toEqual({ since: undefined, isGood: true });
  });

  it('converts a time to milliseconds, and leaves its own result unchanged', () => {
    const sinceMs = Date.UTC(2026, 10, 20, 10);
    expect(read({ since: '2026-11-20T12:00:00+02:00' })).toEqual({ since: sinceMs, isGood: true });
    expect(read({ since: sinceMs })).toEqual({ since: sinceMs, isGood: true });
  });

  it.each([
    ['nothing', ''],
    ['a repetition', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z']],
    ['a number as text', '1700000000000'],
  ])('rejects %s', (_what, since) => expect(read({ since }).isGood).toBe(false));

  it('returns the same after a pipe of a host application that converts types', async () => {
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

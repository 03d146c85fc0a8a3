import { ForbiddenException } from '@nestjs/common';
import { AppError, type RedactionRule } from '../../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import type { SingleEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { priceCheck, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import type { Credential, TestService } from '../../setup/test-service.js';
import { hostSuite } from './with-host.js';

const everyone = (): boolean => true;
const noTrims: RedactionRule = {
  facts: ['trim'],
  fields: ['Row.isVerifiedPartner'],
  from: everyone,
};
/** The rules of Acme: no list prices for assistants, and no trims for anyone. */
const RULES: readonly RedactionRule[] = [
  { facts: ['listedAtCents'], from: ({ type }) => type === 'assistant' },
  noTrims,
  // A fact that no text uses.
  { facts: ['make'], fields: ['Row.writtenAt'], from: everyone },
  // A rule cannot widen access: what the contract withholds stays withheld.
  { facts: ['year'], from: () => false },
];

const world = smallWorld();
const single = priceCheck({
  buyerId: world.buyer.id,
  dealershipId: world.row.dealershipId,
  listing: { year: 2024, make: 'Honda', model: 'CR-V', trim: 'Sport' },
});
const { withHost } = hostSuite({ ...world, records: [...world.records, single] });

const withRules = (
  redactionRules: readonly RedactionRule[],
  work: (service: TestService, assistant: Credential) => Promise<void>,
): Promise<void> => withHost({ redactionRules }, work);
const GET = world.getPath;

describe('a host application’s own redaction rules', () => {
  it('hide facts and fields in fields and texts, each from the principals it names, and nothing else', async () => {
    await withRules(RULES, async (service, assistant) => {
      const seen = await service.get<DealSetResponse>(GET, assistant);
      const { hero, ranked, search, headerLine } = seen.body.data;
      expect(hero).toMatchObject({
        label: '2025 CR-V, about 1,200 miles',
        listedAtCents: null,
        trim: null,
        otdCents: 3_100_000,
        // Another field, which no rule names.
        writtenAt: expect.any(String) as string,
      });
      expect(ranked[0]?.trim).toBeNull();
      const row = ranked[0]?.rows[0];
      expect(row).toMatchObject({ listedAtCents: null, quotedTrim: null, writtenAt: null });
      expect(row).toMatchObject({ distanceMiles: null, distanceBand: null });
      expect(row).not.toHaveProperty('isVerifiedPartner');
      expect([search, headerLine]).toEqual([{ buyerZip: null, radiusMiles: null }, null]);
      expect(seen.text).not.toMatch(/listed at|32,000|EX-L/);
      const own = (await service.get<DealSetResponse>(GET, world.session)).body.data;
      const label = 'Redwood Motors of Hamilton';
      expect(own.hero).toMatchObject({ listedAtCents: 3_200_000, trim: null, label });

      for (const since of ['', '?since=1970-01-01T00:00:00Z']) {
        const { body, text } = await service.get<ListResponse>(`${LIST}${since}`, assistant);
        const entry = body.data.find(({ kind }) => kind === 'single') as SingleEntry;
        expect(entry.car).toEqual({ year: 2024, make: null, model: 'CR-V', trim: null });
        expect(entry.dealerLabel).toBe('2024 CR-V');
        expect(text).not.toContain('Sport');
      }
    });
  });

  it.each([
    ['a label', { fields: ['Row.label'] }, /Row\.label is not a nullable/],
    ['a status', { fields: ['Row.statusLabel'] }, /Row\.statusLabel is not a nullable/],
    ['what every client needs', { fields: ['Row.rowKey'] }, /Row\.rowKey is not a nullable/],
    ['a field that does not exist', { fields: ['Row.vin'] }, /Row\.vin is not a nullable/],
    ['the field of a listing fact', { fields: ['Hero.trim'] }, /hide the listing fact trim/],
    ['a field that a text repeats', { fields: ['Row.ended'] }, /cannot be hidden/],
    ['an unknown fact', { facts: ['vin'] }, /unknown listing fact vin/],
    ['neither a fact nor a field', { facts: [] }, /each rule must name facts or fields/],
    ['an unknown member', { hide: ['year'] }, /unknown member hide/],
  ])('stop the boot when one names %s', async (_what, names, message) => {
    const rule = { ...names, from: everyone } as unknown as RedactionRule;
    await expect(withRules([noTrims, rule], () => Promise.resolve())).rejects.toThrow(message);
  });

  it('are evaluated once for each request', async () => {
    const from = jest.fn(() => false);
    await withRules([{ facts: ['year'], from }], async (service, assistant) => {
      for (const target of [GET, LIST]) {
        from.mockClear();
        expect((await service.get(target, assistant)).status).toBe(200);
        expect(from).toHaveBeenCalledTimes(1);
      }
    });
  });

  it.each([
    ['an error', new Error('rule of Redwood')],
    ['an error of the contract', new AppError('not_found')],
    ['an exception of Nest', new ForbiddenException('Redwood')],
  ])('fail the request when one throws %s', async (_what, error) => {
    const broken: RedactionRule = {
      facts: ['year'],
      fields: ['Row.sellingPriceCents', 'Hero.sellingPriceCents', 'Hero.taxesAndFeesCents'],
      from: () => {
        throw error;
      },
    };
    await withRules([broken], async (service, assistant) => {
      for (const credential of [assistant, world.session]) {
        for (const target of [GET, LIST, `${LIST}?since=1970-01-01T00:00:00Z`]) {
          const response = await service.get(target, credential);
          expect([response.status, response.code]).toEqual([500, 'internal']);
          expect(response.text).not.toMatch(/Redwood|CR-V|rule|Row/);
          expect(response.headers).not.toHaveProperty('service-more');
        }
      }
    });
  });

  it('hide when one returns an invalid value', async () => {
    const vague = { facts: ['year'], from: () => undefined } as unknown as RedactionRule;
    await withRules([vague], async (service, assistant) => {
      const { data } = (await service.get<DealSetResponse>(GET, assistant)).body;
      expect(data.hero?.label).toBe('CR-V EX-L, about 1,200 miles, listed at $32,000');
    });
  });
});

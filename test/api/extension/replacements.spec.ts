import { ForbiddenException } from '@nestjs/common';
import { AppError, customField, DealSetsApi, type RedactionRule } from '../../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import type { DealSetEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { assistantOf, sessionOf } from '../../../packages/testing/src/principals.js';
import { smallWorld } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import type { Credential, HostOptions, TestService } from '../../setup/test-service.js';
import { hostSuite } from './with-host.js';

const world = smallWorld();
const GET = world.getPath;
const suite = hostSuite(world);

const scores = customField({
  type: 'count',
  description: 'How Acme rates the price.',
  forAssistants: 'shown',
  load: ({ ids }) => Promise.resolve(new Map(ids.map((id) => [id, 7]))),
});
const fields = { row: { acmeScore: scores } };

const withRules = (
  redactionRules: readonly RedactionRule[],
  work: (service: TestService, assistant: Credential) => Promise<void>,
): Promise<void> => suite.withHost({ fields, redactionRules }, work);

const always = (): boolean => true;
/** The values that a replacement was called with. */
let seen: unknown[];
beforeEach(() => {
  seen = [];
});

const RULES: readonly RedactionRule[] = [
  {
    replace: {
      'Row.statusLabel': (value, principal) => {
        seen.push(value);
        return `${value} (${principal.type})`;
      },
      'Row.label': (value) => `The ${value}`,
      'DealSetResult.headerLine': (value) => {
        seen.push(value);
        return value.toUpperCase();
      },
      'DealSetEntry.chosenLabels': (values) => [...values, 'and more'],
      'Row.acmeScore': (score: number) => score * 2,
    },
    from: always,
  },
  {
    replace: { 'Row.statusLabel': (value) => `${value}!` },
    from: ({ type }) => type === 'session',
  },
];

describe('the replacements of a redaction rule', () => {
  it('replace redacted display texts and custom fields, for the principals that the rule names', () =>
    withRules(RULES, async (service, assistant) => {
      const own = (await service.get<DealSetResponse>(GET, world.session)).body.data;
      expect(own.ranked[0]?.rows[0]).toMatchObject({
        label: 'The Redwood Motors of Hamilton',
        statusLabel: 'Price in writing (session)!',
        acmeScore: 14,
        otdCents: 3_100_000,
      });
      expect(own.headerLine).toBe('1 WRITTEN PRICE');
      // Each field has a path of its own.
      expect(own.hero?.label).toBe('Redwood Motors of Hamilton');
      const shown = (await service.get<DealSetResponse>(GET, assistant)).body.data;
      expect(shown.ranked[0]?.rows[0]).toMatchObject({
        label: 'The 2025 CR-V EX-L, about 1,200 miles, listed at $32,000',
        statusLabel: 'Price in writing (assistant)',
        acmeScore: 14,
      });
      const { data } = (await service.get<ListResponse>(LIST, assistant)).body;
      expect((data[0] as DealSetEntry).chosenLabels.at(-1)).toBe('and more');
    }));

  it('are never given what is withheld, null or hidden', () =>
    withRules(
      [...RULES, { fields: ['Row.acmeScore'], from: always }],
      async (service, assistant) => {
        const { data } = (await service.get<DealSetResponse>(GET, assistant)).body;
        expect(data.headerLine).toBeNull();
        expect(data.ranked[0]?.rows[0]).toMatchObject({ acmeScore: null });
        expect(seen).toEqual(['Price in writing']);
      },
    ));

  it('are the same in DealSetsApi', () =>
    withRules(RULES, async (service, assistant) => {
      const api = service.app.get(DealSetsApi);
      for (const [principal, credential] of [
        [sessionOf(world.anna.id), world.session],
        [assistantOf(world.anna.id), assistant],
      ] as const) {
        const rest = await service.get(GET, credential);
        expect(await api.get(principal, world.set.id)).toBe(rest.text);
        expect(rest.text).toContain(`(${principal.type})`);
      }
    }));

  it.each<[what: string, replacement: (value: never) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('rule of Redwood');
      },
    ],
    [
      'throws an error of the contract',
      () => {
        throw new AppError('not_found');
      },
    ],
    [
      'throws an exception of Nest',
      () => {
        throw new ForbiddenException();
      },
    ],
    ['returns another type', () => 7],
    ['returns null', () => null],
    ['returns nothing', () => undefined],
    ['returns a promise', () => Promise.reject(new Error('rule of Redwood'))],
  ])(
    'make the response fail, and nothing of it is sent, when one %s',
    async (_what, replacement) => {
      const rule = {
        replace: { 'Row.label': replacement },
        from: always,
      } as unknown as RedactionRule;
      await withRules([rule], async (service, assistant) => {
        for (const credential of [assistant, world.session]) {
          const { status, code, text } = await service.get(GET, credential);
          expect([status, code]).toEqual([500, 'internal']);
          expect(text).not.toMatch(/Redwood|CR-V/);
        }
        expect(service.logLines.join('')).not.toContain('Redwood');
      });
    },
  );

  it.each<[string, (value: never) => unknown]>([
    ['another type', () => 7],
    ['null', () => null],
    ['a promise', () => Promise.resolve('Car')],
  ])('are checked one after the other: the first returns %s', async (_what, first) => {
    const rules = [first, (value: unknown) => `${String(value)}!`].map((replacement) => ({
      replace: { 'Row.label': replacement },
      from: always,
    })) as unknown as readonly RedactionRule[];
    await withRules(rules, async (service) => {
      const { status, code } = await service.get(GET, world.session);
      expect([status, code]).toEqual([500, 'internal']);
    });
  });

  it.each([
    ['a price', { 'Row.otdCents': () => 1 }, 'Row.otdCents is neither a display text'],
    ['a flag', { 'Row.canChoose': () => true }, 'Row.canChoose is neither a display text'],
    ['an unknown field', { 'Row.vin': () => '' }, 'Row.vin is neither a display text'],
    ['a field without a function', { 'Row.label': 'Car' }, 'Row.label is not a function'],
  ])('stop the boot when they replace %s', async (_what, replace, message) => {
    const rule = { replace, from: always } as unknown as RedactionRule;
    await expect(withRules([rule], () => Promise.resolve())).rejects.toThrow(message);
  });
});

describeStandalone('the replacements of a redaction rule, over MCP', () => {
  it('are those of REST', async () => {
    const hostOptions: HostOptions = { fields, redactionRules: RULES };
    const mcp = await McpService.start({ database: suite.database, hostOptions });
    try {
      const input = { dealSetId: world.set.id };
      const result = await mcp.tool('get_deal_set', input, await mcp.tokenFor(world.anna.id));
      expect(JSON.stringify(result.structuredContent)).toContain('Price in writing (assistant)');
    } finally {
      await mcp.stop();
    }
  });
});

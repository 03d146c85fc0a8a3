import { setTimeout as pause } from 'node:timers/promises';
import {
  AppError,
  DealSetsApi,
  DisplayTexts,
  EnglishDisplayTexts,
  LocaleResolver,
  type CarName,
  type CarText,
  type Principal,
  type QuestionText,
  type RequestedName,
  type RowCounts,
  type RowStatus,
  type TextContext,
} from '../../../src/index.js';
import { assistantOf, sessionOf } from '../../../packages/testing/src/principals.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import type { DealSetEntry, SingleEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { priceCheck, question, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import type { HostOptions } from '../../setup/test-service.js';
import { hostSuite } from './with-host.js';

const world = smallWorld();
const dealershipId = world.row.dealershipId;
/** A chosen row with an unknown listing. */
const bare = priceCheck({
  buyerId: world.anna.id,
  dealSetId: world.set.id,
  dealershipId,
  listing: {},
  chosenAt: '2026-01-05T00:00:00Z',
});
const single = priceCheck({
  buyerId: world.anna.id,
  dealershipId,
  listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'EX-L' },
});
const priceQuestion = question({ priceCheckId: world.row.id, category: 'price' });
/** Hidden, so that the buyer also receives a description of its car. */
const hidden = { ...world.row, unlockedAt: null };
const others = world.records.filter((record) => record !== world.row);
const GET = world.getPath;
const suite = hostSuite({
  anna: world.anna,
  records: [...others, hidden, bare, single, priceQuestion],
});
const { withHost } = suite;

/** Texts in another language. */
class GermanTexts extends DisplayTexts {
  override car({ year, model, trim, aboutMiles, listedAtCents }: CarText): string {
    return `${year} ${model} ${trim}, etwa ${aboutMiles} Meilen, Listenpreis ${listedAtCents}`;
  }
  override shortCar({ year, model, trim }: Pick<CarText, 'year' | 'model' | 'trim'>): string {
    return `${year} ${model} ${trim} kurz`;
  }
  override requestedCar({ year, model }: Pick<CarText, 'year' | 'model'>): string {
    return `Gesucht: ${year} ${model}`;
  }
  override status({ state, ended }: Parameters<DisplayTexts['status']>[0]): string {
    return `Stand ${state} ${ended}`;
  }
  override questionHeading({
    category,
    label,
  }: Parameters<DisplayTexts['questionHeading']>[0]): string {
    return `Frage (${category}) zu ${label}`;
  }
  override headerLine({
    written: prices,
    archived,
  }: Parameters<DisplayTexts['headerLine']>[0]): string {
    return `${prices} Preise, ${archived} im Archiv`;
  }
}

const texts = (useClass: new () => DisplayTexts): HostOptions => ({
  providers: [{ provide: DisplayTexts, useClass }],
});

describe('the texts of a host application', () => {
  it('replace every text of the service', async () => {
    await withHost(texts(GermanTexts), async (service, assistant) => {
      const label = '2025 CR-V EX-L, etwa 1200 Meilen, Listenpreis 3200000';
      for (const credential of [world.session, assistant]) {
        const { data } = (await service.get<DealSetResponse>(GET, credential)).body;
        expect(data.hero?.label).toBe(label);
        expect(data.ranked[0]?.rows[0]).toMatchObject({ label, statusLabel: 'Stand written null' });
        const short = credential === assistant ? label : '2025 CR-V EX-L kurz';
        expect(data.needsYou[0]).toMatchObject({ label, heading: `Frage (price) zu ${short}` });
        expect(data.headerLine).toBe(credential === assistant ? null : '1 Preise, 0 im Archiv');
        // The row with an unknown listing.
        expect(data.everyoneElse.waiting[0]?.label).toBe(
          credential === assistant ? 'Gesucht: 2025 CR-V' : 'Redwood Motors of Hamilton',
        );
      }
      const { data } = (await service.get<ListResponse>(LIST, assistant)).body;
      const entries = Object.fromEntries(data.map((entry) => [entry.kind, entry]));
      expect((entries['single'] as SingleEntry).dealerLabel).toBe('2025 CR-V EX-L kurz');
      expect((entries['deal_set'] as DealSetEntry).chosenLabels).toEqual(['Gesucht: 2025 CR-V']);
    });
  });

  it('may change a single text of the default ones', async () => {
    class ShortStatus extends EnglishDisplayTexts {
      override status(): string {
        return 'ok';
      }
    }
    await withHost(texts(ShortStatus), async (service) => {
      const { data } = (await service.get<DealSetResponse>(GET, world.session)).body;
      expect(data.ranked[0]?.rows[0]).toMatchObject({
        label: '2025 CR-V EX-L, about 1,200 miles, listed at $32,000',
        statusLabel: 'ok',
      });
    });
  });

  it('are given no hidden fact, no exact miles, no mark, and no name for an assistant', async () => {
    const cars: CarText[] = [];
    const others: unknown[] = [];
    class ObservedTexts extends EnglishDisplayTexts {
      override car(car: CarText): string {
        cars.push(car);
        return 'Auto';
      }
      override questionHeading(question: QuestionText, context: TextContext): string {
        others.push(question);
        return super.questionHeading(question, context);
      }
      override requestedCar(car: RequestedName, context: TextContext): string {
        others.push(car);
        return super.requestedCar(car, context);
      }
    }
    const rule = { facts: ['listedAtCents', 'trim'], from: () => true } as const;
    await withHost(
      { ...texts(ObservedTexts), redactionRules: [rule] },
      async (service, assistant) => {
        await service.get(GET, assistant);
        await service.get(LIST, assistant);
      },
    );
    expect(cars.length).toBeGreaterThan(0);
    const known = { year: 2025, model: 'CR-V', trim: null, exteriorColor: null };
    for (const car of cars)
      expect(car).toEqual({ ...known, aboutMiles: 1200, listedAtCents: null });
    expect(others.length).toBeGreaterThan(1);
    expect(JSON.stringify(others)).not.toContain('Redwood');
  });

  it('make the response fail, and nothing of it is sent, when one throws, is late or is not a string', async () => {
    let broken: () => unknown;
    class Broken extends EnglishDisplayTexts {
      override car = (() => broken()) as () => string;
    }
    await withHost(texts(Broken), async (service, assistant) => {
      for (const failure of [
        () => {
          throw new Error('Redwood');
        },
        () => {
          throw new AppError('not_found');
        },
        () => 7,
        () => Promise.resolve('a'),
        () => Promise.reject(new Error('Redwood')),
      ]) {
        broken = failure;
        for (const credential of [assistant, world.session]) {
          const { status, code, text } = await service.get(GET, credential);
          expect([status, code]).toEqual([500, 'internal']);
          expect(text).not.toMatch(/Redwood|CR-V/);
        }
      }
      expect(service.logLines.join('')).not.toContain('Redwood');
    });
  });
});

/** A text that says in which context it was made. */
const contextWords = ({ locale, principalType, ...rest }: TextContext): string =>
  `${locale} ${principalType} ${Object.keys(rest).length}`;

/** Texts that are nothing but their context. */
class ContextTexts extends DisplayTexts {
  override car(_car: CarText, context: TextContext): string {
    return contextWords(context);
  }
  override shortCar(_car: CarName, context: TextContext): string {
    return contextWords(context);
  }
  override requestedCar(_car: RequestedName, context: TextContext): string {
    return contextWords(context);
  }
  override status(_row: RowStatus, context: TextContext): string {
    return contextWords(context);
  }
  override questionHeading(_question: QuestionText, context: TextContext): string {
    return contextWords(context);
  }
  override headerLine(_counts: RowCounts, context: TextContext): string {
    return contextWords(context);
  }
}

const SESSION = sessionOf(world.anna.id);
const ASSISTANT = assistantOf(world.anna.id);

/** Options of a host application in which `resolve` chooses the locale. */
const localized = (resolve: unknown): HostOptions => ({
  providers: [
    { provide: DisplayTexts, useClass: ContextTexts },
    { provide: LocaleResolver, useValue: { resolve } },
  ],
});

/** Returns every display text of a deal set, besides names of dealerships. */
const textsOf = ({ data }: DealSetResponse): unknown[] =>
  [
    data.hero?.label,
    data.ranked[0]?.rows[0]?.statusLabel,
    data.needsYou[0]?.label,
    data.needsYou[0]?.kind === 'question' ? data.needsYou[0].heading : null,
    data.headerLine,
  ].filter((text) => text !== null);

describe('the locale of the display texts', () => {
  it('is that of the port, decided once per response, with the type of the principal', async () => {
    const principals: Principal[] = [];
    let calls = 0;
    const resolve = (principal: Principal): Promise<string> => {
      principals.push(principal);
      calls += 1;
      return Promise.resolve(calls % 2 === 1 ? 'DE-de' : 'fr-CA');
    };
    await withHost(localized(resolve), async (service, assistant) => {
      for (const [type, credential] of [
        ['session', world.session],
        ['assistant', assistant],
      ] as const) {
        const { body } = await service.get<DealSetResponse>(GET, credential);
        // The canonical form of the tag.
        expect(new Set(textsOf(body))).toEqual(new Set([`de-DE ${type} 0`]));
        const list = await service.get<ListResponse>(LIST, credential);
        const entries = list.body.data.flatMap((entry): unknown[] =>
          entry.kind === 'deal_set' ? [...entry.chosenLabels] : [entry.dealerLabel],
        );
        expect(entries.length).toBeGreaterThanOrEqual(2);
        // The buyer gets names of dealerships here.
        if (type === 'assistant') {
          expect(new Set(entries)).toEqual(new Set(['fr-CA assistant 0']));
        }
      }
      expect(calls).toBe(4);
      expect(principals.map(({ type }) => type)).toEqual([
        'session',
        'session',
        'assistant',
        'assistant',
      ]);
      expect(principals[0]?.buyerId).toBe(world.anna.id);
    });
  });

  it('is en-US without the port, whatever languages the request accepts', () =>
    withHost(
      { providers: [{ provide: DisplayTexts, useClass: ContextTexts }] },
      async (service) => {
        const headers = { 'accept-language': 'de-DE' };
        const { body } = await service.get<DealSetResponse>(GET, world.session, { headers });
        expect(new Set(textsOf(body))).toEqual(new Set(['en-US session 0']));
      },
    ));

  it('is the same in DealSetsApi', () =>
    withHost(
      localized(({ type }: Principal) => (type === 'session' ? 'de-DE' : 'fr-CA')),
      async (service, assistant) => {
        const api = service.app.get(DealSetsApi);
        for (const [principal, credential, locale] of [
          [SESSION, world.session, 'de-DE'],
          [ASSISTANT, assistant, 'fr-CA'],
        ] as const) {
          const rest = await service.get(GET, credential);
          expect(rest.text).toContain(`${locale} ${principal.type}`);
          expect(await api.get(principal, world.set.id)).toBe(rest.text);
          expect((await api.list(principal)).body).toBe((await service.get(LIST, credential)).text);
        }
      },
    ));

  it.each<[what: string, resolve: () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('Redwood');
      },
    ],
    ['rejects with an error of the service', () => Promise.reject(new AppError('not_found'))],
    ['is late', () => pause(60_000, 'en-US', { ref: false })],
    ['returns no tag', () => 'de_DE'],
    ['returns an empty text', () => ''],
    ['returns nothing', () => undefined],
    ['returns a list', () => ['en-US']],
    ['returns a number', () => 7],
  ])('fails the response, and nothing of it is sent, when the port %s', async (_what, resolve) => {
    await withHost(localized(resolve), async (service, assistant) => {
      for (const credential of [assistant, world.session]) {
        for (const path of [GET, LIST]) {
          const { status, code, text } = await service.get(path, credential);
          expect([status, code]).toEqual([500, 'internal']);
          expect(text).not.toMatch(/Redwood|CR-V/);
        }
      }
      const api = service.app.get(DealSetsApi);
      await expect(api.get(SESSION, world.set.id)).rejects.toMatchObject({ code: 'internal' });
      expect(service.logLines.join('')).not.toContain('Redwood');
    });
  });
});

describe('the locale of the display texts, by MCP', () => {
  const callTool = async (hostOptions: HostOptions): Promise<string> => {
    const mcp = await McpService.start({ database: suite.database, hostOptions });
    try {
      const input = { dealSetId: world.set.id };
      return JSON.stringify(
        await mcp.tool('get_deal_set', input, await mcp.tokenFor(world.anna.id)),
      );
    } finally {
      await mcp.stop();
    }
  };

  it('is that of REST', async () => {
    expect(await callTool(localized(() => 'de-DE'))).toContain('de-DE assistant 0');
  });

  it('fails the call when the port does', async () => {
    await expect(callTool(localized(() => 'de_DE'))).rejects.toThrow(
      /^500 \{"error":\{"code":"internal"/,
    );
  });
});

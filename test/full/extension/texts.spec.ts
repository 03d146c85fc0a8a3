import { setTimeout as pause } from 'node:timers/promises';
import {
  AppError,
  DealSetsApi,
  DisplayTexts,
  EnglishTexts,
  type CarName,
  type CarText,
  type Principal,
  type QuestionText,
  type RequestedName,
  type RowCounts,
  type RowStatus,
  type Texts,
} from '../../../src/index.js';
import { assistantOf, sessionOf } from '../../../packages/testing/src/principals.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import type { DealSetEntry, SingleEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { priceCheck, question, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import type { HostOptions, TestService } from '../../setup/test-service.js';
import { hostSuite } from '../../api/extension/with-host.js';

const world = smallWorld();
const dealershipId = world.row.dealershipId;
/** A chosen row with an unknown listing. */
const bare = priceCheck({
  buyerId: world.buyer.id,
  dealSetId: world.set.id,
  dealershipId,
  listing: {},
  chosenAt: '2026-01-05T00:00:00Z',
});
const single = priceCheck({
  buyerId: world.buyer.id,
  dealershipId,
  listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'EX-L' },
});
const priceQuestion = question({ priceCheckId: world.row.id, category: 'price' });
/** Hidden, so that the buyer also receives a description of its car. */
const hidden = { ...world.row, unlockedAt: null };
const others = world.records.filter((record) => record !== world.row);
const GET = world.getPath;
const suite = hostSuite({
  ...world,
  records: [...others, hidden, bare, single, priceQuestion],
});
const { withHost } = suite;

/** Texts in another language. */
class GermanTexts implements Texts {
  car({ year, model, trim, aboutMiles, listedAtCents }: CarText): string {
    return `${year} ${model} ${trim}, etwa ${aboutMiles} Meilen, Listenpreis ${listedAtCents}`;
  }
  shortCar({ year, model, trim }: CarName): string {
    return `${year} ${model} ${trim} kurz`;
  }
  requestedCar({ year, model }: RequestedName): string {
    return `Gesucht: ${year} ${model}`;
  }
  status({ state, ended }: RowStatus): string {
    return `Stand ${state} ${ended}`;
  }
  questionHeading({ category, label }: QuestionText): string {
    return `Frage (${category}) zu ${label}`;
  }
  headerLine({ written: prices, archived }: RowCounts): string {
    return `${prices} Preise, ${archived} im Archiv`;
  }
  dealSetHref(dealSetId: string): string {
    return `/suchen/${dealSetId}`;
  }
  priceCheckHref(dealSetId: string, priceCheckId: string): string {
    return `/suchen/${dealSetId}/angebote/${priceCheckId}`;
  }
}

/** Options of a host application with these texts for every caller. */
const texts = (own: Texts): HostOptions => callerTexts(() => own);

/** Options of a host application that chooses the texts of each caller. */
const callerTexts = (forCaller: unknown): HostOptions => ({
  providers: [{ provide: DisplayTexts, useValue: { forCaller } }],
});

describe('the texts of a host application', () => {
  it('replace every text of the service', async () => {
    await withHost(texts(new GermanTexts()), async (service, assistant) => {
      const label = '2025 CR-V EX-L, etwa 1200 Meilen, Listenpreis 3200000';
      for (const credential of [world.session, assistant]) {
        const { data } = (await service.get<DealSetResponse>(GET, credential)).body;
        expect(data.hero?.label).toBe(label);
        expect(data.ranked[0]?.rows[0]).toMatchObject({ label, statusLabel: 'Stand written null' });
        expect(data.needsYou[0]).toMatchObject({ label, heading: `Frage (price) zu ${label}` });
        expect(data.headerLine).toBe(credential === assistant ? null : '1 Preise, 0 im Archiv');
        // The row with an unknown listing.
        expect(data.everyoneElse.waiting[0]).toMatchObject({
          label: credential === assistant ? 'Gesucht: 2025 CR-V' : 'Redwood Motors of Hamilton',
          priceCheckHref: `/suchen/${world.set.id}/angebote/${bare.id}`,
        });
        // A hidden row has no path, whatever the host application returns.
        expect(data.ranked[0]?.rows[0]?.priceCheckHref).toBeNull();
      }
      const { data } = (await service.get<ListResponse>(LIST, assistant)).body;
      const entries = Object.fromEntries(data.map((entry) => [entry.kind, entry]));
      expect((entries['single'] as SingleEntry).dealerLabel).toBe('2025 CR-V EX-L kurz');
      expect(entries['deal_set'] as DealSetEntry).toMatchObject({
        chosenLabels: ['Gesucht: 2025 CR-V'],
        href: `/suchen/${world.set.id}`,
      });
    });
  });

  it('may change a single text of the default ones', async () => {
    class ShortStatus extends EnglishTexts {
      override status(): string {
        return 'ok';
      }
    }
    await withHost(texts(new ShortStatus()), async (service) => {
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
    class ObservedTexts extends EnglishTexts {
      override car(car: CarText): string {
        cars.push(car);
        return 'Auto';
      }
      override questionHeading(question: QuestionText): string {
        others.push(question);
        return super.questionHeading(question);
      }
      override requestedCar(car: RequestedName): string {
        others.push(car);
        return super.requestedCar(car);
      }
    }
    const rule = { facts: ['listedAtCents', 'trim'], from: () => true } as const;
    await withHost(
      { ...texts(new ObservedTexts()), redactionRules: [rule] },
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

  it('make the response fail, and nothing of it is sent, when one throws or is not a string', async () => {
    let broken: () => unknown;
    class Broken extends EnglishTexts {
      override car = (() => broken()) as () => string;
    }
    await withHost(texts(new Broken()), async (service, assistant) => {
      for (const failure of [
        () => {
          throw new Error('Redwood');
        },
        () => {
          throw new AppError('not_found');
        },
        () => 7,
        () => Promise.resolve('a'),
        // A rejection that nobody handles would end the process.
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
      const failures = service.logLines.map((line): object => JSON.parse(line) as object);
      // Both callers, and both of the texts that throw.
      const named = { level: 'error', msg: 'display texts failed', port: 'DisplayTexts' };
      expect(failures.filter((line) => 'port' in line)).toEqual(
        Array.from({ length: 4 }, () => expect.objectContaining(named) as object),
      );
      expect(failures).toContainEqual(expect.objectContaining({ responseField: 'Hero.label' }));
    });
  });
});

/** Texts that are nothing but this word. */
const wordTexts = (word: string): Texts => ({
  car: () => word,
  shortCar: () => word,
  requestedCar: () => word,
  status: () => word,
  questionHeading: () => word,
  headerLine: () => word,
  dealSetHref: () => word,
  priceCheckHref: () => word,
});

const SESSION = sessionOf(world.buyer.id);
const ASSISTANT = assistantOf(world.buyer.id);

/** Returns every display text of a deal set, besides names of dealerships. */
const textsOf = ({ data }: DealSetResponse): unknown[] =>
  [
    data.hero?.label,
    data.ranked[0]?.rows[0]?.statusLabel,
    data.needsYou[0]?.label,
    data.needsYou[0]?.kind === 'question' ? data.needsYou[0].heading : null,
    data.headerLine,
  ].filter((text) => text !== null);

describe('the texts of a caller', () => {
  it('are chosen once per response, for the principal of the request', async () => {
    const principals: Principal[] = [];
    const forCaller = (principal: Principal): Promise<Texts> => {
      principals.push(principal);
      return Promise.resolve(wordTexts(`${principal.type} ${principals.length}`));
    };
    await withHost(callerTexts(forCaller), async (service, assistant) => {
      for (const [type, credential] of [
        ['session', world.session],
        ['assistant', assistant],
      ] as const) {
        const { body } = await service.get<DealSetResponse>(GET, credential);
        expect(new Set(textsOf(body))).toEqual(new Set([`${type} ${principals.length}`]));
        const list = await service.get<ListResponse>(LIST, credential);
        const entries = list.body.data.flatMap((entry): unknown[] =>
          entry.kind === 'deal_set' ? [...entry.chosenLabels] : [entry.dealerLabel],
        );
        expect(entries.length).toBeGreaterThanOrEqual(2);
        // The buyer gets names of dealerships here.
        if (type === 'assistant') expect(new Set(entries)).toEqual(new Set(['assistant 4']));
      }
      expect(principals.map(({ type }) => type)).toEqual([
        'session',
        'session',
        'assistant',
        'assistant',
      ]);
      expect(principals[0]?.buyerId).toBe(world.buyer.id);
    });
  });

  it('are English without the port, whatever languages the request accepts', () =>
    withHost({}, async (service) => {
      const headers = { 'accept-language': 'de-DE' };
      const { body } = await service.get<DealSetResponse>(GET, world.session, { headers });
      expect(body.data.ranked[0]?.rows[0]?.statusLabel).toBe('Price in writing');
    }));

  it('are the same in DealSetsApi', () =>
    withHost(
      callerTexts(({ type }: Principal) => wordTexts(`for the ${type}`)),
      async (service, assistant) => {
        const api = service.app.get(DealSetsApi);
        for (const [principal, credential] of [
          [SESSION, world.session],
          [ASSISTANT, assistant],
        ] as const) {
          const rest = await service.get(GET, credential);
          expect(rest.text).toContain(`for the ${principal.type}`);
          expect(JSON.stringify(await api.get(principal, world.set.id))).toBe(rest.text);
          const { response } = await api.list(principal);
          expect(JSON.stringify(response)).toBe((await service.get(LIST, credential)).text);
        }
      },
    ));

  it.each<[what: string, forCaller: () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('Redwood');
      },
    ],
    ['rejects with an error of the service', () => Promise.reject(new AppError('not_found'))],
    ['returns nothing', () => undefined],
    ['returns no texts', () => ({})],
  ])('fail the response, and nothing of it is sent, when the port %s', async (_what, forCaller) => {
    await withHost(callerTexts(forCaller), async (service, assistant) => {
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
      expect(service.logLines.join('')).toContain('"port":"DisplayTexts"');
    });
  });
});

describe('the texts of a caller that are late', () => {
  it('fail the response', async () => {
    const forCaller = (): unknown => pause(600_000, new GermanTexts(), { ref: false });
    const limits = { displayTextsMs: 500 };
    const work = async (service: TestService): Promise<void> => {
      const { status, code, text } = await service.get(GET, world.session);
      expect([status, code]).toEqual([500, 'internal']);
      expect(text).not.toContain('CR-V');
    };
    await withHost(callerTexts(forCaller), work, { limits });
  });
});

describe('the texts of a caller, by MCP', () => {
  const callTool = async (forCaller: unknown): Promise<string> => {
    const hostOptions = callerTexts(forCaller);
    const mcp = await McpService.start({ database: suite.database, hostOptions });
    try {
      const input = { dealSetId: world.set.id };
      return JSON.stringify(
        await mcp.tool('get_deal_set', input, await mcp.tokenFor(world.buyer.id)),
      );
    } finally {
      await mcp.stop();
    }
  };

  it('are those of REST', async () => {
    const forCaller = ({ type }: Principal): Texts => wordTexts(`for the ${type}`);
    expect(await callTool(forCaller)).toContain('for the assistant');
  });

  it('fail the call when the port does', async () => {
    await expect(callTool(() => undefined)).rejects.toThrow(/^500 \{"error":\{"code":"internal"/);
  });
});

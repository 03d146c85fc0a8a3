import { EnglishDisplayTexts, DisplayTexts, type CarText } from '../../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import type { DealSetEntry, SingleEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { priceCheck, question, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
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
const { withHost } = hostSuite({
  anna: world.anna,
  records: [...others, hidden, bare, single, priceQuestion],
});

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
      for (const who of [world.session, assistant]) {
        const { data } = (await service.get<DealSetResponse>(GET, who)).body;
        expect(data.hero?.label).toBe(label);
        expect(data.ranked[0]?.rows[0]).toMatchObject({ label, statusLabel: 'Stand written null' });
        const short = who === assistant ? label : '2025 CR-V EX-L kurz';
        expect(data.needsYou[0]).toMatchObject({ label, heading: `Frage (price) zu ${short}` });
        expect(data.headerLine).toBe(who === assistant ? null : '1 Preise, 0 im Archiv');
        // The row with an unknown listing.
        expect(data.everyoneElse.waiting[0]?.label).toBe(
          who === assistant ? 'Gesucht: 2025 CR-V' : 'Redwood Motors of Hamilton',
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
    class Watching extends EnglishDisplayTexts {
      override car(car: CarText): string {
        cars.push(car);
        return 'Auto';
      }
      override questionHeading(question: Parameters<DisplayTexts['questionHeading']>[0]): string {
        others.push(question);
        return super.questionHeading(question);
      }
      override requestedCar(car: Pick<CarText, 'year' | 'model'>): string {
        others.push(car);
        return super.requestedCar(car);
      }
    }
    const rule = { facts: ['listedAtCents', 'trim'], from: () => true } as const;
    await withHost({ ...texts(Watching), redactionRules: [rule] }, async (service, assistant) => {
      await service.get(GET, assistant);
      await service.get(LIST, assistant);
    });
    expect(cars.length).toBeGreaterThan(0);
    const known = { year: 2025, model: 'CR-V', trim: null, exteriorColor: null };
    for (const car of cars)
      expect(car).toEqual({ ...known, aboutMiles: 1200, listedAtCents: null });
    expect(others.length).toBeGreaterThan(1);
    expect(JSON.stringify(others)).not.toContain('Redwood');
  });

  it('make the response fail, and nothing of it is sent, when one throws, is late or is no string', async () => {
    let broken: () => unknown;
    class Broken extends EnglishDisplayTexts {
      override car = (() => broken()) as () => string;
    }
    await withHost(texts(Broken), async (service, assistant) => {
      for (const failure of [
        () => {
          throw new Error('Redwood');
        },
        () => 7,
        () => Promise.resolve('a'),
      ]) {
        broken = failure;
        for (const who of [assistant, world.session]) {
          const { status, code, text } = await service.get(GET, who);
          expect([status, code]).toEqual([500, 'internal']);
          expect(text).not.toMatch(/Redwood|CR-V/);
        }
      }
      expect(service.logLines.join('')).not.toContain('Redwood');
    });
  });
});

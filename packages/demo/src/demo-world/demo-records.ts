import type { ImportRecord, RecordTypes } from '@deal-sets/service/operations';
import { DEMO_BUYER_ID, demoId } from './demo-people.js';

type PriceCheck = RecordTypes['priceCheck'];

const HOUR_MS = 3_600_000;

/** Builds the demo's records. Times are given as hours before now. */
export class DemoRecords {
  readonly records: ImportRecord[] = [];
  readonly #nowMs: number;
  readonly #numbers = new Map<string, number>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Returns the time that lies `hours` hours before now, in ISO 8601. */
  ago(hours: number): string {
    return new Date(this.#nowMs - hours * HOUR_MS).toISOString();
  }

  add(record: ImportRecord): void {
    this.records.push(record);
  }

  /** Adds a price check, by default of the demo buyer, and returns its id. */
  ask(values: Omit<PriceCheck, 'id' | 'buyerId'> & { buyerId?: string }): string {
    const id = this.#next('c0');
    this.add({ record: 'priceCheck', id, buyerId: DEMO_BUYER_ID, ...values });
    return id;
  }

  question(
    priceCheckId: string,
    values: Omit<RecordTypes['question'], 'id' | 'priceCheckId'>,
  ): void {
    this.add({ record: 'question', id: this.#next('40'), priceCheckId, ...values });
  }

  /** Adds a draft that names no dealership, so that the buyer may always read all of it. */
  draft(priceCheckId: string, body: string, hoursAgo: number): void {
    this.add({
      record: 'draft',
      id: this.#next('d0'),
      priceCheckId,
      body,
      bodyWhileHidden: body,
      createdAt: this.ago(hoursAgo),
    });
  }

  /** Adds replies of a dealership, which have the time of their request. */
  replies(priceCheckId: string, count: number): void {
    for (let n = 0; n < count; n += 1) {
      this.add({ record: 'reply', id: this.#next('e0'), priceCheckId });
    }
  }

  /** Returns the values of a price check with a written price for the requested car. */
  written(
    otdDollars: number,
    sellingDollars: number,
    hoursAgo: number,
  ): Pick<PriceCheck, 'answer' | 'price' | 'finishedAt'> {
    return {
      answer: 'same_car',
      price: {
        otdCents: otdDollars * 100,
        sellingPriceCents: sellingDollars * 100,
        writtenAt: this.ago(hoursAgo),
      },
      finishedAt: this.ago(hoursAgo),
    };
  }

  #next(kind: string): string {
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    return demoId(kind, number);
  }
}

/** Returns a function that builds listings of one model. */
export function carsOf(year: number, make: string, model: string) {
  return (
    trim: string,
    exteriorColor?: string,
    mileage?: number | null,
    listedAtDollars?: number,
  ): PriceCheck['listing'] => ({
    year,
    make,
    model,
    trim,
    exteriorColor,
    ...(mileage && { mileage }),
    ...(listedAtDollars && { listedAtCents: listedAtDollars * 100 }),
  });
}

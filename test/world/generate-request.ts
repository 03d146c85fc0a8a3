import type { RecordTypes } from '../../src/operations.js';
import { CAR_MODELS, EXTERIOR_COLORS, INTERIOR_COLORS, type CarModel } from './car-catalogue.js';
import type { MadeDealership } from './dealership-directory.js';
import type { SeededRandom } from './seeded-random.js';

type DealSet = RecordTypes['dealSet'];
type PriceCheck = RecordTypes['priceCheck'];

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const VIN_CHARACTERS = Array.from('ABCDEFGHJKLMNPRSTUVWXYZ0123456789');

/** The car that a request is for. */
export interface WantedCar {
  readonly model: CarModel;
  readonly year: number;
}

/** Draws the car that a request is for. */
export function wantedCar(random: SeededRandom): WantedCar {
  return { model: random.pick(CAR_MODELS), year: random.integer(2022, 2027) };
}

/** Draws the requested configuration. The buyer leaves some of it open. */
export function configuration(random: SeededRandom, { model, year }: WantedCar): DealSet['car'] {
  return {
    year,
    make: model.make,
    model: model.model,
    trim: random.chance(0.7) ? random.pick(model.trims) : null,
    exteriorColor: random.chance(0.4) ? random.pick(EXTERIOR_COLORS) : null,
    interiorColor: random.chance(0.2) ? random.pick(INTERIOR_COLORS) : null,
    drivetrain: random.chance(0.5) ? random.pick(model.drivetrains) : null,
    powertrain: random.chance(0.5) ? random.pick(model.powertrains) : null,
  };
}

/** Draws a dealership's listing of the car. Some contain the dealership's name, as in real data. */
export function listing(
  random: SeededRandom,
  { model, year }: WantedCar,
  { record, host }: MadeDealership,
): PriceCheck['listing'] {
  const place = random.integer(0, model.trims.length - 1);
  const trim = model.trims[place] ?? null;
  const isUsed = random.chance(0.35);
  const mileage = isUsed ? random.integer(4_000, 90_000) : random.integer(3, 160);
  const dollars =
    model.fromDollars * (1 + place * 0.08) * (isUsed ? 0.9 - mileage / 200_000 : 1) +
    random.integer(-900, 1_800);
  const vin = Array.from({ length: 17 }, () => random.pick(VIN_CHARACTERS)).join('');
  const slug = `${year}-${model.make}-${model.model}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return {
    year,
    make: model.make,
    model: model.model,
    trim: random.chance(0.003)
      ? `${trim ?? ''} | ${record.name}`
      : random.chance(0.95)
        ? trim
        : null,
    exteriorColor: random.chance(0.92) ? random.pick(EXTERIOR_COLORS) : null,
    mileage: random.chance(0.97) ? mileage : null,
    listedAtCents: random.chance(0.93) ? Math.round(dollars) * 100 : null,
    vin,
    url: `https://${host}/inventory/${slug}-${vin.toLowerCase()}`,
    imageUrl: random.chance(0.8) ? `https://images.${host.slice(4)}/${vin}/1.jpg` : null,
  };
}

/** Draws the price in an answer: a selling price, and an out-the-door price with taxes and fees. */
function price(
  random: SeededRandom,
  listedAtCents: number | null | undefined,
  writtenAtMs: number | null,
): PriceCheck['price'] {
  const basis = listedAtCents ?? 3_500_000;
  const selling = Math.round(basis * (0.91 + random.integer(0, 110) / 1000));
  return {
    sellingPriceCents: random.chance(0.9) ? selling : null,
    otdCents:
      Math.round(selling * (1.06 + random.integer(0, 40) / 1000)) + random.integer(9, 90) * 1000,
    writtenAt: writtenAtMs === null ? null : isoTime(writtenAtMs),
  };
}

/** The properties of a request that affect the answer drawn for it. */
export interface AnswerOptions {
  /** When the request was sent, in milliseconds since 1970. */
  readonly requestedMs: number;
  /** Whether the dealership must have answered by now. */
  readonly isSettled: boolean;
  readonly hasEnded: boolean;
}

/** Draws a dealership's answer, which can be anything from no answer to an ended thread. */
export function answer(
  random: SeededRandom,
  listedAtCents: number | null | undefined,
  { requestedMs, isSettled, hasEnded }: AnswerOptions,
): Partial<PriceCheck> {
  const answeredMs = requestedMs + random.integer(4, 2_000) * MINUTE_MS;
  if (hasEnded || random.chance(0.14)) {
    const ended = random.pick(['sold', 'closed_with_price', 'no_price', 'timed_out']);
    const hasPrice = ended === 'closed_with_price' || (ended === 'sold' && random.chance(0.5));
    return {
      answer: hasPrice ? 'same_car' : null,
      price: hasPrice ? price(random, listedAtCents, answeredMs) : null,
      ended,
      endedAt: isoTime(answeredMs + random.integer(1, 9) * DAY_MS),
    };
  }
  if (random.chance(0.08)) {
    return {
      answer: 'different_car',
      price: random.chance(0.4) ? price(random, listedAtCents, answeredMs) : null,
    };
  }
  if (isSettled || random.chance(0.55)) {
    return {
      answer: 'same_car',
      price: price(random, listedAtCents, answeredMs),
      finishedAt: random.chance(0.8) ? isoTime(answeredMs + 5 * MINUTE_MS) : null,
    };
  }
  // The row is waiting, possibly with a price that is not in writing.
  return random.chance(0.1)
    ? { answer: 'same_car', price: price(random, listedAtCents, null) }
    : {};
}

/** Formats milliseconds since 1970 as ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

import { createHash } from 'node:crypto';
import type { ImportRecord, RecordTypes } from '../../src/operations.js';
import { makeDealership, placeOf } from './dealership-directory.js';
import {
  answer,
  configuration,
  isoTime,
  listing,
  wantedCar,
  type WantedCar,
} from './generate-request.js';
import { SeededRandom, seededSecret, seededUuid } from './seeded-random.js';
import { WORLD_PRESENT_MS, type WorldOptions } from './world-options.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The assistant that every buyer of a generated world has approved. */
export const WORLD_CLIENT_ID = 'world-assistant';

/** Returns the id of the buyer with this index, counted from 0. */
export function worldBuyerId(seed: string, index: number): string {
  return seededUuid(seed, `buyer ${index}`);
}

/**
 * Returns the value of the session cookie of the buyer with this index. The world contains a valid
 * session for every buyer.
 */
export function worldCookie(seed: string, index: number): string {
  return seededSecret(seed, `session ${index}`);
}

/**
 * Generates all records of one buyer, independently of other buyers.
 *
 * @param dealerships the number of dealerships in the world.
 */
export function* makeBuyer(
  options: WorldOptions,
  index: number,
  dealerships: number,
): Generator<ImportRecord> {
  const { seed, rows } = options;
  const id = worldBuyerId(seed, index);
  const random = new SeededRandom(seed, `buyer ${index}`);
  const home = random.integer(0, dealerships - 1);
  // Each request of a buyer has a different time of its newest change.
  let step = 0;
  const next = (): { createdMs: number; activityMs: number } => {
    step += 1;
    const activityMs = WORLD_PRESENT_MS - step * 5 * HOUR_MS - random.integer(0, 4 * HOUR_MS);
    return { activityMs, createdMs: activityMs - random.integer(1, 20) * DAY_MS };
  };

  yield { record: 'buyer', id, changesGranted: random.chance(0.5) };
  yield {
    record: 'session',
    id: seededUuid(seed, `session ${index}`),
    buyerId: id,
    tokenSha256: createHash('sha256').update(worldCookie(seed, index)).digest('hex'),
    expiresAt: '2099-12-31T23:59:59Z',
  };
  yield {
    record: 'grant',
    id: seededUuid(seed, `grant ${index}`),
    buyerId: id,
    clientId: WORLD_CLIENT_ID,
    scopes: ['offers:read'],
    hosted: random.chance(0.2),
    grantedAt: isoTime(WORLD_PRESENT_MS - 400 * DAY_MS),
  };

  const place = `buyer ${index}`;
  const request = { options, buyerId: id, random, home, dealerships };
  for (let n = 0; n < options.sets; n += 1) {
    yield* dealSet({ ...request, ...next(), name: `${place} set ${n}`, hasEnded: false });
  }
  for (let n = 0; n < options.singles; n += 1) {
    yield* single({ ...request, ...next(), name: `${place} single ${n}`, hasEnded: false });
  }
  for (let n = 0; n < options.ended; n += 1) {
    const made = { ...request, ...next(), name: `${place} ended ${n}`, hasEnded: true };
    yield* n % 2 === 0 && rows > 0 ? dealSet(made) : single(made);
  }
}

interface MadeRequest {
  readonly options: WorldOptions;
  readonly buyerId: string;
  readonly random: SeededRandom;
  /** The number of the dealership that is nearest to the buyer. */
  readonly home: number;
  readonly dealerships: number;
  readonly name: string;
  readonly createdMs: number;
  readonly activityMs: number;
  readonly hasEnded: boolean;
}

function* dealSet(request: MadeRequest): Generator<ImportRecord> {
  const { options, random, name, createdMs, activityMs, hasEnded } = request;
  const id = seededUuid(options.seed, name);
  const wanted = wantedCar(random);
  const isSettled = random.chance(0.3);
  yield {
    record: 'dealSet',
    id,
    buyerId: request.buyerId,
    car: configuration(random, wanted),
    buyerZip: random.chance(0.95) ? placeOf(request.home).zip : null,
    radiusMiles: random.chance(0.9) ? random.pick([100, 100, 100, 250]) : null,
    dealersFound: options.rows + random.integer(0, 40),
    createdAt: isoTime(createdMs),
    endedAt: hasEnded ? isoTime(activityMs) : null,
    latestActivityAt: random.chance(0.98) ? isoTime(activityMs) : null,
  };
  let unlocks = random.integer(0, 3);
  for (let row = 0; row < options.rows; row += 1) {
    const check = priceCheck(request, wanted, `${name} row ${row}`, row, isSettled);
    check.dealSetId = id;
    const isWritten = Boolean(check.price?.writtenAt);
    if (isWritten && unlocks > 0 && random.chance(0.2)) {
      unlocks -= 1;
      check.unlockedAt = isoTime(activityMs - HOUR_MS);
      if (random.chance(0.3)) check.chosenAt = isoTime(activityMs - HOUR_MS / 2);
    }
    yield { record: 'priceCheck', ...check };
    yield* thread(request, check);
  }
}

function* single(request: MadeRequest): Generator<ImportRecord> {
  const { random, name, activityMs, hasEnded } = request;
  const check = priceCheck(
    request,
    wantedCar(random),
    name,
    random.integer(0, 11),
    random.chance(0.3),
  );
  if (!hasEnded) {
    check.ended = null;
    check.endedAt = null;
    check.archivedAt = null;
  }
  if (random.chance(0.4)) check.unlockedAt = isoTime(activityMs - HOUR_MS);
  check.latestActivityAt = isoTime(activityMs);
  yield { record: 'priceCheck', ...check };
  yield* thread(request, check);
}

function priceCheck(
  request: MadeRequest,
  wanted: WantedCar,
  name: string,
  row: number,
  isSettled: boolean,
): RecordTypes['priceCheck'] {
  const { options, random, home, dealerships, createdMs, hasEnded } = request;
  const dealership = makeDealership(options.seed, (home + row) % dealerships);
  const car = listing(random, wanted, dealership);
  const requestedMs = createdMs + row * 1000;
  return {
    id: seededUuid(options.seed, name),
    buyerId: request.buyerId,
    dealershipId: dealership.record.id,
    listing: car,
    distanceMiles: random.chance(0.97)
      ? Math.round((row * 4 + random.integer(0, 60) / 10) * 10) / 10
      : null,
    requestedAt: isoTime(requestedMs),
    ...answer(random, car.listedAtCents, { requestedMs, isSettled, hasEnded }),
    archivedAt: random.chance(0.04) ? isoTime(requestedMs + 2 * DAY_MS) : null,
  };
}

const QUESTIONS = [
  ['trade_in', 'Do you have a car to trade in?'],
  ['financing', 'Will you finance with us, or pay cash?'],
  ['delivery', 'Would you pick the car up, or have it delivered?'],
  ['trim_choice', 'This trim is sold. Would the next one up suit you?'],
  ['fees', 'Which county will the car be registered in?'],
] as const;

const DRAFT =
  'Thank you for the price. Could you send the fees line by line, and hold the car until Saturday?';

/**
 * Generates the questions, drafts and replies of a price check. No text names the dealership: the
 * buyer may read each draft and most questions while the dealership is hidden.
 */
function* thread(
  { options, random, activityMs }: MadeRequest,
  { id, price, answer: kind }: RecordTypes['priceCheck'],
): Generator<ImportRecord> {
  const { seed } = options;
  const recently = (): string => isoTime(activityMs - random.integer(0, 10 * DAY_MS));
  if (random.chance(0.06)) {
    const [category, text] = random.pick(QUESTIONS);
    // Has random numbers of its own, so that it does not change the rest of the world.
    const isCleared = new SeededRandom(seed, `cleared text ${id}`).chance(0.9);
    yield {
      record: 'question',
      id: seededUuid(seed, `question ${id}`),
      priceCheckId: id,
      promptId: random.chance(0.8) ? `prompt-${random.integer(1, 40)}` : null,
      category,
      text,
      textWhileHidden: isCleared ? text : null,
      answerMode: random.pick(['text', 'choice', 'yes_no']),
      otdCents: price?.otdCents ?? null,
      askedAt: recently(),
      answeredAt: random.chance(0.4) ? recently() : null,
    };
  }
  if (random.chance(0.03)) {
    yield {
      record: 'draft',
      id: seededUuid(seed, `draft ${id}`),
      priceCheckId: id,
      body: DRAFT,
      bodyWhileHidden: DRAFT,
      createdAt: recently(),
      resolvedAt: random.chance(0.5) ? recently() : null,
    };
  }
  const replies = kind === undefined || kind === null ? 0 : random.integer(1, 2);
  for (let n = 0; n < replies; n += 1) {
    yield {
      record: 'reply',
      id: seededUuid(seed, `reply ${n} ${id}`),
      priceCheckId: id,
    };
  }
}

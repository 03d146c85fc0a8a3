import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { READ_SCOPE } from 'deal-sets';
import type { ImportRecord } from 'deal-sets/operations';

/** Records for a test, with what a test needs to know of them. */
export interface SampleWorld {
  readonly records: readonly ImportRecord[];
  readonly buyerId: string;
  readonly dealSetId: string;
  readonly priceCheckId: string;
  /** Value of the cookie `__Host-session` with which the buyer is signed in. */
  readonly cookie: string;
  /** The assistant that the buyer approved for reading, as a token's `client_id`. */
  readonly clientId: string;
  /** Another buyer, without requests. */
  readonly strangerId: string;
  /** What no assistant may learn of these records. */
  readonly withheldWords: readonly string[];
}

/**
 * A buyer with a session, an approved assistant and one deal set of one unlocked row with a price in writing, for
 * which one reply came.
 */
export function sampleWorld(): SampleWorld {
  const [buyerId, strangerId, dealershipId, dealSetId, priceCheckId] = Array.from(
    { length: 5 },
    () => randomUUID(),
  ) as [string, string, string, string, string];
  const cookie = randomBytes(32).toString('base64url');
  const clientId = 'assistant-1';
  const name = 'Redwood Motors of Hamilton';
  const records: ImportRecord[] = [
    { record: 'buyer', id: buyerId },
    { record: 'buyer', id: strangerId },
    { record: 'dealership', id: dealershipId, name },
    {
      record: 'session',
      id: randomUUID(),
      buyerId,
      tokenSha256: createHash('sha256').update(cookie).digest('hex'),
      expiresAt: '2999-01-01T00:00:00Z',
    },
    {
      record: 'grant',
      id: randomUUID(),
      buyerId,
      clientId,
      scopes: [READ_SCOPE],
      grantedAt: '2026-01-01T00:00:00Z',
    },
    {
      record: 'dealSet',
      id: dealSetId,
      buyerId,
      car: { year: 2025, make: 'Honda', model: 'CR-V' },
      buyerZip: '45202',
      radiusMiles: 100,
      createdAt: '2026-01-02T00:00:00Z',
    },
    {
      record: 'priceCheck',
      id: priceCheckId,
      buyerId,
      dealSetId,
      dealershipId,
      listing: {
        year: 2025,
        make: 'Honda',
        model: 'CR-V',
        trim: 'EX-L',
        mileage: 1234,
        listedAtCents: 3_200_000,
      },
      distanceMiles: 12.375,
      requestedAt: '2026-01-02T00:00:00Z',
      unlockedAt: '2026-01-05T00:00:00Z',
      answer: 'same_car',
      price: { otdCents: 3_100_000, writtenAt: '2026-01-03T00:00:00Z' },
    },
    { record: 'reply', id: randomUUID(), priceCheckId, receivedAt: '2026-01-03T00:00:00Z' },
  ];
  const withheldWords = ['Redwood', '45202', '12.375'];
  return {
    records,
    buyerId,
    dealSetId,
    priceCheckId,
    cookie,
    clientId,
    strangerId,
    withheldWords,
  };
}

import type { ImportRecord } from '@deal-sets/service/operations';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  LISTING,
  priceCheck,
  reply,
  signIn,
  written,
} from './records.js';

/** Records to load for a test, and the values that the test needs to refer to them. */
export interface SampleWorld {
  readonly records: readonly ImportRecord[];
  readonly buyerId: string;
  readonly dealSetId: string;
  /** The path of the deal set on the service. */
  readonly dealSetPath: string;
  readonly priceCheckId: string;
  /** The value of the `__Host-session` cookie that signs the buyer in. */
  readonly cookie: string;
  /** The `client_id` of the assistant that the buyer approved for reading. */
  readonly clientId: string;
  /** The id of another buyer, who has no requests. */
  readonly strangerId: string;
  /** Words of these records that no response to an assistant may contain. */
  readonly withheldWords: readonly string[];
}

/**
 * Builds a buyer with a session, an approved assistant, an approved hosted assistant (`hosted-1`),
 * and a deal set with one unlocked row, which has a price in writing and one reply.
 */
export function sampleWorld(): SampleWorld {
  const anna = buyer();
  const stranger = buyer();
  const dealer = dealership({ name: 'Redwood Motors of Hamilton' });
  const { record, cookie } = signIn(anna.id);
  const set = dealSet({ buyerId: anna.id });
  const row = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: dealer.id,
    listing: { ...LISTING, listedAtCents: 3_200_000 },
    distanceMiles: 12.375,
    unlockedAt: '2026-01-05T00:00:00Z',
    ...written(3_100_000),
  });
  const approved = grant({ buyerId: anna.id });
  const hosted = grant({ buyerId: anna.id, clientId: 'hosted-1', hosted: true });
  return {
    records: [
      ...[anna, stranger, dealer, record, approved, hosted, set, row],
      reply({ priceCheckId: row.id }),
    ],
    buyerId: anna.id,
    dealSetId: set.id,
    dealSetPath: `/api/v1/deal-sets/${set.id}`,
    priceCheckId: row.id,
    cookie,
    clientId: approved.clientId,
    strangerId: stranger.id,
    withheldWords: ['Redwood', '45202', '12.375'],
  };
}

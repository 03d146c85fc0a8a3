import { buyer, dealership, dealSet, grant, priceCheck, signIn, written } from './records.js';

/**
 * A buyer with one deal set of one unlocked, priced row, a session, an approved assistant (`assistant-1`)
 * and an approved hosted one (`hosted-1`). For suites that need a good response and not a certain one.
 */
export function smallWorld() {
  const anna = buyer();
  const dealer = dealership({ name: 'Redwood Motors' });
  const set = dealSet({ buyerId: anna.id, car: { year: 2025, make: 'Honda', model: 'CR-V' } });
  const row = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: dealer.id,
    listing: { year: 2025, model: 'CR-V', trim: 'EX-L', mileage: 1_234, listedAtCents: 3_000_000 },
    distanceMiles: 12.375,
    unlockedAt: '2026-01-05T00:00:00Z',
    ...written(3_100_000),
  });
  const { record, cookie } = signIn(anna.id);
  return {
    anna,
    set,
    row,
    session: { cookie },
    /** Path of the deal set. */
    getPath: `/api/v1/deal-sets/${set.id}`,
    records: [
      anna,
      dealer,
      set,
      row,
      record,
      grant({ buyerId: anna.id }),
      grant({ buyerId: anna.id, clientId: 'hosted-1', hosted: true }),
    ],
  };
}

import {
  buyer,
  dealership,
  dealSet,
  grant,
  priceCheck,
  signIn,
  written,
} from '../builders/index.js';

/** A buyer with one deal set of one priced row, signed in and with an approved assistant. */
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

import { buyer, dealership, dealSet, priceCheck } from '../../packages/testing/src/records.js';

/** Returns a buyer with a deal set of one row and a request to a single dealership. */
export function buyerWithRequests() {
  const [anna, shop] = [buyer(), dealership({ name: 'Honda of Fremont' })];
  const keys = { buyerId: anna.id, dealershipId: shop.id };
  const set = dealSet({ buyerId: anna.id, latestActivityAt: '2026-03-01T00:00:00Z' });
  const row = priceCheck({ ...keys, dealSetId: set.id });
  const single = priceCheck({ ...keys, latestActivityAt: '2026-03-02T00:00:00.7Z' });
  return { anna, shop, keys, set, row, single, records: [anna, shop, set, row, single] };
}

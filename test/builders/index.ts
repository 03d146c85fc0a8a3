import type { Built } from '../../packages/testing/src/records.js';
import { sampleWorld } from '../../packages/testing/src/sample-world.js';
import type { RecordTypes } from '../../src/operations/import/records/records.js';

export * from '../../packages/testing/src/records.js';
export { load } from '../../packages/testing/src/load.js';
export { buyerWithRequests } from './buyer-with-requests.js';
export { insert, insertHistory } from './insert.js';

/** The test kit's sample world, with its records, for suites that need any successful response. */
export function smallWorld({ changesGranted = false } = {}) {
  const { records: made, cookie, dealSetPath } = sampleWorld();
  const records = made.map((record) =>
    changesGranted && record.record === 'buyer' ? { ...record, changesGranted } : record,
  );
  const [buyer, set, row] = (['buyer', 'dealSet', 'priceCheck'] as const).map((kind) =>
    records.find(({ record }) => record === kind),
  ) as [Built<'buyer'>, Built<'dealSet'>, Built<'priceCheck'>];
  return { buyer, set, row, session: { cookie }, getPath: dealSetPath, records };
}

/** Adds the closing record, which a file with `arrivedAt` needs. */
export function closed(records: readonly object[]): object[] {
  return [...records, { record: 'end', records: records.length }];
}

/**
 * Returns an ending that the import accepts beside this price: the given one, unless the two
 * contradict each other.
 */
export function endingBeside(
  price: RecordTypes['priceCheck']['price'],
  answer: string | null | undefined,
  ended: string | null | undefined,
): string | null | undefined {
  const isWritten = typeof price?.writtenAt === 'string';
  if (ended === 'closed_with_price' && !isWritten) return 'timed_out';
  if (ended === 'no_price' && isWritten && answer !== 'different_car') return 'sold';
  return ended;
}

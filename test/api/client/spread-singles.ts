import { load, priceCheck } from '../../builders/index.js';
import type { TestDatabase } from '../../setup/test-database.js';

/** Single requests a minute apart, so that the feed gives them in pages of 25. */
export async function loadSpreadSingles(
  database: TestDatabase,
  options: { buyerId: string; dealershipId: string; count: number },
): Promise<void> {
  const { count, ...ids } = options;
  const records = Array.from({ length: count }, (_, minute) =>
    priceCheck({
      ...ids,
      latestActivityAt: new Date(Date.UTC(2026, 1, 2, 0, minute)).toISOString(),
    }),
  );
  await load(database, records, { isBackfill: true });
}

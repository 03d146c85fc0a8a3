import type { DataSource, EntityTarget } from 'typeorm';
import { AssistantGrant, Buyer, BuyerSession, DealSet, PriceCheck } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { lockImports } from './import/import-lock.js';

/** What is stored about a buyer. */
export interface BuyerCounts {
  /** Whether the buyer is in the database. */
  readonly isKnown: boolean;
  readonly dealSets: number;
  readonly priceChecks: number;
  readonly sessions: number;
  readonly grants: number;
}

/** Counts what is stored about a buyer. */
export async function countsOf(dataSource: DataSource, buyerId: string): Promise<BuyerCounts> {
  const count = (entity: EntityTarget<{ buyerId: string }>): Promise<number> =>
    dataSource.getRepository(entity).countBy({ buyerId });
  return {
    isKnown: await dataSource.getRepository(Buyer).existsBy({ id: buyerId }),
    dealSets: await count(DealSet),
    priceChecks: await count(PriceCheck),
    sessions: await count(BuyerSession),
    grants: await count(AssistantGrant),
  };
}

/**
 * Erases a buyer with all data, and records a hash of the id, so that an import does not restore the
 * buyer.
 *
 * @param onWaiting called when the erasure waits for an import.
 */
export function eraseBuyer(
  dataSource: DataSource,
  buyerId: string,
  onWaiting: () => void,
): Promise<void> {
  return retryConflicts(() =>
    dataSource.transaction(async (manager) => {
      await lockImports((sql) => manager.query(sql), 'erasure', onWaiting);
      // In a distributed database, sessions have no foreign key to their buyer.
      await manager.getRepository(BuyerSession).delete({ buyerId });
      // Cascading foreign keys delete the rest of the buyer's data.
      await manager.getRepository(Buyer).delete({ id: buyerId });
      await manager.query(
        `INSERT INTO deal_sets.erased_buyer (id_sha256) VALUES (sha256($1::uuid::text::bytea)) ON CONFLICT DO NOTHING`,
        [buyerId],
      );
    }),
  );
}

import type { PriceCheckFacts, SummaryFacts } from './facts.js';
import { hasWrittenPrice, rowState } from './row-state.js';

/**
 * The one definition of the six numbers. The list's SQL computes the same in the database; a property
 * test holds the two together.
 */
export function summarize(rows: readonly PriceCheckFacts[]): SummaryFacts {
  const summary = {
    written: 0,
    waiting: 0,
    differentCar: 0,
    ended: 0,
    endedWithPrice: 0,
    closedWithPrice: 0,
  };
  for (const row of rows) {
    if (row.isArchived) continue;
    switch (rowState(row)) {
      case 'written':
        summary.written += 1;
        break;
      case 'waiting':
        summary.waiting += 1;
        break;
      case 'different_car':
        summary.differentCar += 1;
        break;
      case 'ended':
        summary.ended += 1;
        if (row.ended === 'closed_with_price') summary.closedWithPrice += 1;
        if (row.ended === 'closed_with_price' || hasWrittenPrice(row)) summary.endedWithPrice += 1;
    }
  }
  return summary;
}

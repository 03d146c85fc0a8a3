import type { DealSetResult, Row } from '@deal-sets/client';

/** Returns the rows of a result by key, for finding the other side's version of a row. */
export function rowsByKey(result: DealSetResult | null): ReadonlyMap<string, Row> {
  if (!result) return new Map();
  const { waiting, differentCar, ended, archived } = result.everyoneElse;
  const rows = [
    ...result.ranked.flatMap((group) => group.rows),
    ...waiting,
    ...differentCar,
    ...ended,
    ...archived,
  ];
  return new Map(rows.map((row) => [row.rowKey, row]));
}

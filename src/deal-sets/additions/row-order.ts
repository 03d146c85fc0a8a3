import { ignoreRejection } from '../../kernel/ignore-rejection.js';
import type { RankedRow, TrimGroup } from '../domain/ranking.js';
import type { Row } from '../dto/row.js';

/**
 * A row as the principal gets it, without its display texts; fields that are withheld from the principal or
 * hidden by a rule are null. A team's own fields of rows are there by their names.
 */
export type OrderedRow = Omit<Row, 'label' | 'statusLabel' | 'priceCheckHref'> & {
  readonly [ownField: string]: unknown;
};

/**
 * The order of rows that have the same price in the same group: by ascending key.
 *
 * Guarantees: the price comes first. The hero stays the lowest price, by the time of its writing and its key.
 * Rows of equal key keep the service's order (the earlier writing, then the key), so the order is total.
 * Must never: depend on anything but the row; block.
 * When it throws, or returns keys that are not all finite numbers or all strings: the rows keep the service's
 * order, and the log says so.
 */
export type RowOrder = (row: OrderedRow) => number | string;

/**
 * The groups with rows of equal price in the team's order.
 *
 * @param groups in the service's order.
 * @param keyOf the team's key of a row. @param onFailure called when rows keep the service's order.
 */
export function withEqualPricesOrdered(
  groups: readonly TrimGroup[],
  keyOf: (row: RankedRow) => unknown,
  onFailure: (error: unknown) => void,
): readonly TrimGroup[] {
  return groups.map((group, place) => {
    // The first row of the first group is the hero.
    const first = place === 0 ? 1 : 0;
    const rows: RankedRow[] = group.rows.slice(0, first);
    for (let from = first, to; from < group.rows.length; from = to) {
      to = endOfRun(group.rows, from);
      rows.push(...ordered(group.rows.slice(from, to), keyOf, onFailure));
    }
    return { ...group, rows: rows as [RankedRow, ...RankedRow[]] };
  });
}

/** Where the rows of the price of the row at `from` end. */
function endOfRun(rows: readonly RankedRow[], from: number): number {
  let to = from + 1;
  while (to < rows.length && rows[to]?.otdCents === rows[from]?.otdCents) to += 1;
  return to;
}

function ordered(
  rows: readonly RankedRow[],
  keyOf: (row: RankedRow) => unknown,
  onFailure: (error: unknown) => void,
): readonly RankedRow[] {
  if (rows.length < 2) return rows;
  try {
    const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
    if (keyed.every(({ key }) => Number.isFinite(key))) {
      return keyed.sort((a, b) => Number(a.key) - Number(b.key)).map(({ row }) => row);
    }
    if (keyed.every(({ key }) => typeof key === 'string')) {
      const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
      return keyed.sort((a, b) => compare(String(a.key), String(b.key))).map(({ row }) => row);
    }
    for (const { key } of keyed) ignoreRejection(key);
    throw new TypeError('rowOrder returned neither finite numbers alone nor strings alone');
  } catch (error) {
    onFailure(error);
    return rows;
  }
}

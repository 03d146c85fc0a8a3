import type { RequestKey } from './deal-set-queries.js';

/*
 * A statement's plan reads the rows of a page in their order, but SQL promises that only with an ORDER BY at its end.
 * There PostgreSQL would copy all of them, wide as they are, into a sort: a quarter of the list's time. So the order is
 * checked here, and made where a plan did not keep it.
 */

/** Deal sets before single requests, each newest first. */
export function inListOrder<Row extends RequestKey & { readonly requestedAt: string | null }>(
  rows: readonly Row[],
): readonly Row[] {
  return inOrder(
    rows,
    (a, b) =>
      compareTexts(a.kind, b.kind) ||
      compareTexts(b.requestedAt ?? '', a.requestedAt ?? '') ||
      compareTexts(a.id, b.id),
  );
}

/** Oldest change first. */
export function inFeedOrder<Row extends RequestKey & { readonly feedAt: string }>(
  rows: readonly Row[],
): readonly Row[] {
  return inOrder(
    rows,
    (a, b) =>
      compareTexts(a.feedAt, b.feedAt) || compareTexts(a.kind, b.kind) || compareTexts(a.id, b.id),
  );
}

type Compare<Row> = (a: Row, b: Row) => number;

function inOrder<Row>(rows: readonly Row[], compare: Compare<Row>): readonly Row[] {
  let before: Row | undefined;
  for (const row of rows) {
    if (before !== undefined && compare(before, row) > 0) return rows.toSorted(compare);
    before = row;
  }
  return rows;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

import type { Ending } from '../../kernel/price-check-values.js';
import type { SummaryFacts } from './facts.js';
import type { RowState } from './row-state.js';

/** Display text: wording may change within a version, and nothing branches on it. */

const STATE_LABELS: Readonly<Record<Exclude<RowState, 'ended'>, string>> = {
  written: 'Price in writing',
  waiting: 'Waiting for a written price',
  different_car: 'Answered for a different car',
};

const ENDING_LABELS: Readonly<Record<Ending, string>> = {
  sold: 'The car was sold',
  closed_with_price: 'Ended with a written price',
  no_price: 'Closed without a price',
  timed_out: 'No answer in time',
};

export function statusLabel(state: RowState, ended: Ending | null): string {
  if (ended !== null) return ENDING_LABELS[ended];
  return state === 'ended' ? 'Closed' : STATE_LABELS[state];
}

/** What is asked about, by category. The set of categories is open: others get neutral words. */
const TOPICS: ReadonlyMap<string, string> = new Map([
  ['appointment', 'A question about a visit'],
  ['availability', 'A question about the car’s availability'],
  ['color', 'A question about the color'],
  ['configuration', 'A question about the configuration'],
  ['contact', 'A question about how to reach you'],
  ['delivery', 'A question about delivery'],
  ['financing', 'A question about financing'],
  ['price', 'A question about the price'],
  ['rebates', 'A question about rebates'],
  ['timing', 'A question about timing'],
  ['trade_in', 'A question about a trade-in'],
  ['trim', 'A question about the trim'],
]);

/** A heading of the category and the label of the row only. */
export function questionHeading(category: string, label: string): string {
  return `${TOPICS.get(category) ?? 'A question'}: ${label}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param archived how many rows are archived: said only when there are no others. */
export function headerLine(summary: SummaryFacts, archived: number): string {
  const parts = [
    summary.written > 0 && counted(summary.written, 'written price', 'written prices'),
    summary.waiting > 0 && `${summary.waiting} without a written price yet`,
    summary.differentCar > 0 && `${summary.differentCar} for a different car`,
    summary.ended > 0 && `${summary.ended} ended`,
  ].filter((part) => part !== false);
  if (parts.length > 0) return parts.join(', ');
  return archived > 0 ? `${archived} archived` : 'No dealership has been asked yet';
}

import { DealSetResult } from './deal-set-result.js';
import { listOf, objectOf, shape, shown, type WireOf } from '../../response-shape/field.js';
import { ListEntry } from './list-entry.js';

/** The body of a successful list answer. */
export const ListAnswer = shape('ListAnswer', 'The buyer’s requests, one summary each.', {
  data: shown(
    listOf(ListEntry),
    'One entry for each request. Skip an entry whose kind you do not know.',
  ),
});
export type ListAnswer = WireOf<typeof ListAnswer>;

/** The body of a successful answer for one deal set. */
export const DealSetAnswer = shape('DealSetAnswer', 'One deal set with its ranked results.', {
  data: shown(objectOf(DealSetResult), 'The deal set.'),
});
export type DealSetAnswer = WireOf<typeof DealSetAnswer>;

export const ANSWERS = [ListAnswer, DealSetAnswer] as const;

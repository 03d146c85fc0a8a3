import { DealSetResult } from './deal-set-result.js';
import { listOf, objectOf, shape, shown, type WireOf } from '../../response-shape/field.js';
import { ListEntry } from './list-entry.js';

/** The response body of the list. */
export const ListResponse = shape('ListResponse', 'The buyer’s requests, one summary each.', {
  data: shown(
    listOf(ListEntry),
    'One entry for each request. Skip an entry whose kind you do not know.',
  ),
});
export type ListResponse = WireOf<typeof ListResponse>;

/** The response body of one deal set. */
export const DealSetResponse = shape('DealSetResponse', 'One deal set with its ranked results.', {
  data: shown(objectOf(DealSetResult), 'The deal set.'),
});
export type DealSetResponse = WireOf<typeof DealSetResponse>;

export const RESPONSES = [ListResponse, DealSetResponse] as const;

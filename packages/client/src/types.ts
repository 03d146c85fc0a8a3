import type { paths } from './api-types.js';
import type { ResponseDetails } from './response-promise.js';

type Data<Path extends keyof paths> =
  paths[Path]['get']['responses'][200]['content']['application/json']['data'];

/** One request of the buyer: to several dealerships (`deal_set`) or to one (`single`). */
export type ListEntry = Data<'/api/v1/deal-sets'>[number];
/** A list entry of a request to several dealerships. */
export type DealSetEntry = Extract<ListEntry, { kind: 'deal_set' }>;
/** A list entry of a request to one dealership. */
export type SingleEntry = Extract<ListEntry, { kind: 'single' }>;
/**
 * The state of a request for a poll. Only assistants whose buyer allows it receive this field, in
 * responses to `since` calls.
 */
export type Changes = NonNullable<ListEntry['changes']>;

/** One deal set with its ranked results. */
export type DealSetResult = Data<'/api/v1/deal-sets/{id}'>;
/** The row with the lowest written price. */
export type Hero = NonNullable<DealSetResult['hero']>;
/** The ranked rows of one trim, lowest price first. */
export type RankedGroup = DealSetResult['ranked'][number];
/** One dealership's part of a deal set. */
export type Row = RankedGroup['rows'][number];
/** An open question or draft that waits for the buyer. */
export type NeedsYouItem = DealSetResult['needsYou'][number];

interface Page {
  readonly entries: readonly ListEntry[];
  /**
   * The number of entries left out because this version of the client does not support their kind.
   */
  readonly skipped: number;
}

/** The buyer's active requests. */
export interface ListResult extends Page {
  /** Whether an active request was left out. `readAll` reads every request. */
  readonly more: boolean;
}

/** Every request, ended ones included, one entry per kind and id. */
export interface ReadAllResult extends Page {
  /** The time to pass as `since` to `poll`. */
  readonly asOf: string;
}

/** One page of a poll. Save `asOf` even if `entries` is empty. */
export interface PollBatch extends Page {
  /** The `since` with which this page was requested. */
  readonly since: string;
  /** The time to resume from, once this batch has been handled. */
  readonly asOf: string;
  /** Whether more remains; the next page then follows at once. */
  readonly more: boolean;
  /** The HTTP response of this page. */
  readonly response: ResponseDetails;
}

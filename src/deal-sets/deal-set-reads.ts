import type { Deadline } from '../kernel/deadline.js';
import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';

/** A call of the list. */
export interface ListCall {
  /** Milliseconds since 1970; undefined for the active requests. */
  readonly sinceMs: number | undefined;
  /**
   * Entries of a `since` page, besides those that tie with the last one. Default: the contract's.
   */
  readonly pageSize?: number | undefined;
}

/** For whom a result was read. Callers can share a result only when all of this is the same. */
export interface ReadFor {
  readonly principalType: PrincipalType;
  readonly buyerId: string;
  /** The assistant's id; null for the buyer's session. */
  readonly clientId: string | null;
  /** Whether the entries of a `since` page have `changes`. */
  readonly seesChanges: boolean;
}

/** A page of the list before redaction, with the values of its headers. */
export interface ListRead {
  readonly readFor: ReadFor;
  readonly response: ListResponse;
  /** `Service-More`. */
  readonly hasMore: boolean;
  /** `Service-As-Of`; null without `since`. */
  readonly asOf: string | null;
}

/** A deal set before redaction. */
export interface DealSetRead {
  readonly readFor: ReadFor;
  readonly response: DealSetResponse;
}

/**
 * Returns for whom a read of this principal is. It is plain data: a cache can use it, as JSON, as a
 * part of its keys.
 */
export function readFor(principal: Principal): ReadFor {
  const { type: principalType, buyerId } = principal;
  return matchPrincipal<ReadFor>(principal, {
    session: () => ({ principalType, buyerId, clientId: null, seesChanges: false }),
    assistant: ({ clientId, seesChanges }) => ({ principalType, buyerId, clientId, seesChanges }),
  });
}

/**
 * The two reads, which REST, MCP and `DealSetsApi` share. The default is `DealSetsService`.
 *
 * Guarantees: `readFor` says for whom the result was read, and the result contains what this caller
 * may know. The fields that are withheld are removed afterwards, so a result may be stored with its
 * `hasMore` and `asOf`, as JSON too.
 * Must never: return a result that was read for another caller; change a result after returning it.
 * When it fails: an `AppError` is sent as it is, any other error is 500 `internal`. A result that
 * was read for another caller is 500 `internal`, and the log has the line `result was read for
 * another caller`.
 */
export abstract class DealSetReads {
  /** Returns the active requests, or those that changed after `sinceMs`, oldest change first. */
  abstract list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead>;
  /**
   * @param id any text. A text that is not the id of one of the buyer's deal sets is `not_found`.
   */
  abstract get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead>;
}

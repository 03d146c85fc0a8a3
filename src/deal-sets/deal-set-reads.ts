import type { Deadline } from '../kernel/deadline.js';
import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';

/** The arguments of a list read. */
export interface ListCall {
  /**
   * The time after which the listed requests changed, in milliseconds since 1970. If undefined, the
   * active requests are listed.
   */
  readonly sinceMs: number | undefined;
  /**
   * The number of entries of a `since` page. Further entries with the same stamp as the last one
   * are added and not counted. Default: the contract's page size.
   */
  readonly pageSize?: number | undefined;
}

/**
 * The caller for whom a result was read, with every member of the principal: redaction rules and
 * custom fields may depend on each of them. Callers may share a result only if all of these values
 * are equal.
 */
export interface ReadCaller {
  readonly principalType: PrincipalType;
  readonly buyerId: string;
  /** The assistant's id; null for the buyer's session. */
  readonly clientId: string | null;
  /** Whether the caller is a hosted assistant. */
  readonly isHosted: boolean;
  /** Whether the entries of a `since` page have `changes`. */
  readonly seesChanges: boolean;
  /** The caller's scopes in alphabetical order. */
  readonly scopes: readonly string[];
}

/** A page of the list before redaction, with the values of its headers. */
export interface ListRead {
  readonly readFor: ReadCaller;
  readonly response: ListResponse;
  /** The value of the `Service-More` header. */
  readonly hasMore: boolean;
  /** `Service-As-Of`, an ISO 8601 time; null without `since`. */
  readonly asOf: string | null;
}

/** A deal set before redaction. */
export interface DealSetRead {
  readonly readFor: ReadCaller;
  readonly response: DealSetResponse;
}

/**
 * Returns the values that identify the caller of a read. They are plain data: a cache can use them,
 * as JSON, as part of its keys.
 */
export function callerOf(principal: Principal): ReadCaller {
  const { type: principalType, buyerId } = principal;
  const scopes = principal.type === 'assistant' ? [...principal.scopes].sort() : [];
  const client = matchPrincipal<Pick<ReadCaller, 'clientId' | 'isHosted' | 'seesChanges'>>(
    principal,
    {
      session: () => ({ clientId: null, isHosted: false, seesChanges: false }),
      assistant: ({ clientId, isHosted, seesChanges }) => ({ clientId, isHosted, seesChanges }),
    },
  );
  return { principalType, buyerId, ...client, scopes };
}

/**
 * The two reads, which REST, MCP and `DealSetsApi` share. The default is `DealSetsService`.
 *
 * Guarantees: `readFor` identifies the caller for whom the result was read, and the result contains
 * only what this caller may know. Withheld fields are removed afterwards, so a result may be stored
 * together with its `hasMore` and `asOf`, also as JSON.
 * Must never: return a result that was read for another caller; change a result after returning it.
 * When it fails: an `AppError` is sent unchanged, and any other error becomes 500 `internal`. A
 * result that was read for another caller, or whose `hasMore` or `asOf` is not valid, also leads to
 * 500 `internal`, and the log names the problem.
 */
export abstract class DealSetReads {
  /** Returns the active requests, or those that changed after `sinceMs`, oldest change first. */
  abstract list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead>;
  /**
   * Returns one deal set of the buyer.
   *
   * @param id any text.
   * @throws {AppError} `not_found` for a text that is not the id of one of the buyer's deal sets.
   */
  abstract get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead>;
}

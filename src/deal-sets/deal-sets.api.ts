import { Injectable } from '@nestjs/common';
import { Admission } from '../auth/admission.js';
import { Settings } from '../config/settings.js';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.js';
import { AppError } from '../kernel/app-error.js';
import { RunningDeadline, type Deadline } from '../kernel/deadline.js';
import { formatIsoTime, parseIsoTime } from '../kernel/iso-time.js';
import { frozenPrincipal, PRINCIPAL_TYPES, type Principal } from '../kernel/principal.js';
import { untilAborted } from '../kernel/time-limit.js';
import { UsageError } from '../kernel/usage-error.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { ResponseRedaction } from '../redaction/response-redaction.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';
import { GET_ENDPOINT, LIST_ENDPOINT } from './deal-sets.endpoints.js';
import { DealSetsService } from './deal-sets.service.js';

/** A page of the list, with the values of the endpoint's response headers. */
export interface ListResult {
  /** The redacted response. As JSON, it is byte for byte the endpoint's response body. */
  readonly response: ListResponse;
  /** `Service-More`: whether requests were left out of the page. */
  readonly hasMore: boolean;
  /** `Service-As-Of`: pass it as the next `since`; null without `since`. */
  readonly asOf: string | null;
}

/** How a call of `DealSetsApi` is admitted. */
export interface DealSetsCall {
  /** Whether the rate limit leaves the call out. Default: the call counts in its rate class. */
  readonly isUncounted?: boolean;
}

/**
 * How long a call may take: until the `Deadline` of the calling request, or until a signal of the
 * caller is aborted. With a signal, and by default, the call takes no longer than
 * `Settings.requestDeadlineMs`.
 */
export type CallerTime = Deadline | AbortSignal;

/** The input of `DealSetsApi.list`. */
export interface ListInput {
  /**
   * ISO 8601 time with a zone: selects the requests that changed after it. Default: the active
   * ones.
   */
  readonly since?: string | undefined;
  /**
   * The number of entries of a `since` page, an integer of at least 1. Further entries with the
   * same stamp as the last one are added and not counted. Default: the endpoint's page size.
   */
  readonly pageSize?: number | undefined;
}

/**
 * The two reads for other protocols (MCP, gRPC, a job), under the rollout, scope, rate class,
 * deadline and redaction of the endpoints.
 *
 * It does not authenticate: pass a principal that a guard of the service verified
 * (`@CurrentPrincipal`), or one that your own protocol verified with equal care. A call that fails
 * rejects with an `AppError`; any other error is a defect.
 */
@Injectable()
export class DealSetsApi {
  /** @internal */
  constructor(
    private readonly admission: Admission,
    private readonly rateLimits: RateLimits,
    private readonly dealSets: DealSetsService,
    private readonly redaction: ResponseRedaction,
    private readonly settings: Settings,
  ) {}

  /**
   * Lists the buyer's requests: the active ones, or with `since` a page of those that changed after
   * it.
   *
   * @throws {AppError} `unauthenticated` (an unknown type of principal), `not_found` (the endpoint
   *   is off), `insufficient_scope`, `rate_limited`, `invalid_request`, `unavailable`. Any other
   *   error comes from a defect or a rule that failed; the endpoint responds to it with 500.
   */
  list(
    principal: Principal,
    { since, pageSize }: ListInput = {},
    time?: CallerTime,
    call?: DealSetsCall,
  ): Promise<ListResult> {
    return this.#call(LIST_ENDPOINT, principal, time, call, async (caller, deadline) => {
      const sinceMs = since === undefined ? undefined : parseIsoTime(since);
      if (sinceMs === null) throw new AppError('invalid_request', { reason: 'since_malformed' });
      // An empty page would look like the last one, and the caller would pass every change.
      if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize >= 1)) {
        throw new UsageError('pageSize: expected an integer of at least 1');
      }
      const listCall = { sinceMs, pageSize };
      const { response, hasMore, asOfMs } = await this.dealSets.list(caller, listCall, deadline);
      const asOf = asOfMs === null ? null : formatIsoTime(asOfMs);
      const redacted = this.redaction.redact(response, LIST_ENDPOINT.response, caller);
      return { response: redacted as ListResponse, hasMore, asOf };
    });
  }

  /**
   * Reads one deal set with its ranked results.
   *
   * @param dealSetId any text; a text that is not a UUID is `not_found`.
   * @returns the redacted response. As JSON, it is byte for byte the endpoint's response body.
   * @throws {AppError} `unauthenticated`, `not_found`, `insufficient_scope`, `rate_limited`,
   *   `unavailable`. Any other error comes from a defect or a rule that failed.
   */
  get(
    principal: Principal,
    dealSetId: string,
    time?: CallerTime,
    call?: DealSetsCall,
  ): Promise<DealSetResponse> {
    return this.#call(GET_ENDPOINT, principal, time, call, async (caller, deadline) => {
      const response = await this.dealSets.get(caller, dealSetId, deadline);
      return this.redaction.redact(response, GET_ENDPOINT.response, caller) as DealSetResponse;
    });
  }

  /**
   * Returns whether the rollout and the scopes permit the principal to call `list` or `get`, so
   * that a protocol can omit what the principal cannot call.
   *
   * @throws the reason of the signal when `time` is over or aborted.
   */
  async isOn(endpoint: 'list' | 'get', principal: Principal, time?: CallerTime): Promise<boolean> {
    const policy = endpoint === 'list' ? LIST_ENDPOINT : GET_ENDPOINT;
    return this.#within(time, async (deadline) => {
      try {
        await this.#admit(policy, principal, deadline);
        return true;
      } catch {
        deadline.signal.throwIfAborted();
        return false;
      }
    });
  }

  /** Runs `work` for an admitted caller, within the caller's time. */
  #call<T>(
    policy: typeof LIST_ENDPOINT | typeof GET_ENDPOINT,
    principal: Principal,
    time: CallerTime | undefined,
    call: DealSetsCall | undefined,
    work: (caller: Principal, deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    return this.#within(time, async (deadline) => {
      const caller = await this.#admit(policy, principal, deadline);
      if (!call?.isUncounted) await this.rateLimits.count(policy.rateClass, caller);
      return work(caller, deadline);
    });
  }

  /** Returns a frozen copy of an admitted caller, which a host application has authenticated. */
  async #admit(
    policy: EndpointPolicy,
    principal: Principal,
    deadline: Deadline,
  ): Promise<Principal> {
    const caller = frozenPrincipal(principal);
    if (!PRINCIPAL_TYPES.includes(caller.type)) throw new AppError('unauthenticated');
    await this.admission.admit(policy, caller, deadline);
    return caller;
  }

  /**
   * Runs `work` with the caller's deadline if there is one. Otherwise it runs `work` with a
   * deadline of `Settings.requestDeadlineMs`, which the caller's signal can end earlier.
   */
  async #within<T>(
    time: CallerTime | undefined,
    work: (deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    if (time && 'remainingMs' in time) {
      time.signal.throwIfAborted();
      return untilAborted(time.signal, work(time));
    }
    time?.throwIfAborted();
    const deadline = new RunningDeadline(this.settings.requestDeadlineMs);
    const onAbort = (): void => deadline.abort(time?.reason);
    time?.addEventListener('abort', onAbort, { once: true });
    try {
      return await untilAborted(deadline.signal, work(deadline));
    } finally {
      time?.removeEventListener('abort', onAbort);
      deadline.stop();
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { assertAccess } from '../auth/scope.guard.js';
import { Settings } from '../config/settings.js';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.js';
import { AppError } from '../kernel/app-error.js';
import { TimeLimitError, withTimeLimit } from '../kernel/time-limit.js';
import { parseIsoTime } from '../kernel/iso-time.js';
import { frozenPrincipal, PRINCIPAL_TYPES, type Principal } from '../kernel/principal.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { ResponseRedaction } from '../redaction/response-redaction.js';
import { RolloutCheck } from '../rollout/rollout-check.js';
import { DealSetsService } from './deal-sets.service.js';
import { GET_ENDPOINT, LIST_ENDPOINT } from './openapi/endpoints.js';

/** A page of the list as JSON, with the values of the endpoint's response headers. */
export interface ListResult {
  /** JSON, byte for byte the body of the endpoint. */
  readonly body: string;
  /** `Service-More`: more requests changed than the page holds. */
  readonly hasMore: boolean;
  /** `Service-As-Of`: pass it as the next `since`; null without `since`. */
  readonly asOf: string | null;
}

/** How a call of `DealSetsApi` is admitted. */
export interface DealSetsCall {
  /** Whether the request was already counted in its rate class. Default: it is counted here. */
  readonly isCounted?: boolean;
  /**
   * `performance.now()` when the calling request arrived; `signal` is aborted at its deadline. The
   * look-up of replies takes no more than a part of the time that is left. Default: now.
   */
  readonly startedAt?: number;
}

/** The input of `DealSetsApi.list`. */
export interface ListInput {
  /**
   * ISO 8601 time with a zone: selects the requests that changed after it. Default: the active
   * ones.
   */
  readonly since?: string | undefined;
  /**
   * Entries of a `since` page, at least 1, besides those that tie with the last one. Default: the
   * endpoint's.
   */
  readonly pageSize?: number | undefined;
}

/**
 * The two reads for other protocols (MCP, gRPC, a job), under the rollout, scope, rate class,
 * deadline and redaction of the endpoints.
 *
 * It does not authenticate: pass a principal that a guard of the service verified
 * (`@CurrentPrincipal`), or one that your own protocol verified with equal care. Every call fails
 * with an `AppError`; any other error is a defect.
 */
@Injectable()
export class DealSetsApi {
  // Injected as properties: the constructor of a public class is part of the package's API.
  @Inject() private readonly rollout!: RolloutCheck;
  @Inject() private readonly rateLimiter!: RateLimiter;
  @Inject() private readonly dealSets!: DealSetsService;
  @Inject() private readonly redaction!: ResponseRedaction;
  @Inject() private readonly settings!: Settings;

  /**
   * Lists the buyer's requests: the active ones, or with `since` a page of those that changed after
   * it.
   *
   * @param signal the calling request's signal. The call takes no longer than the contract's
   *   deadline, from now.
   * @throws {AppError} `not_found` (the endpoint is off), `insufficient_scope`, `rate_limited`,
   *   `invalid_request`, `unavailable`.
   */
  list(
    principal: Principal,
    { since, pageSize }: ListInput = {},
    signal?: AbortSignal,
    call?: DealSetsCall,
  ): Promise<ListResult> {
    return this.#call(LIST_ENDPOINT, principal, signal, call, async (caller, limit, startedAt) => {
      const sinceMs = since === undefined ? undefined : parseIsoTime(since);
      if (sinceMs === null) throw new AppError('invalid_request', { reason: 'since_malformed' });
      const listCall = { sinceMs, pageSize, startedAt };
      const { response, ...page } = await this.dealSets.list(caller, listCall, limit);
      return { body: this.#json(response, LIST_ENDPOINT, caller), ...page };
    });
  }

  /**
   * Reads one deal set with its ranked results.
   *
   * @param dealSetId any text; one that is not a UUID is not found.
   * @returns JSON, byte for byte the body of the endpoint.
   * @throws {AppError} `not_found`, `insufficient_scope`, `rate_limited`, `unavailable`.
   */
  get(
    principal: Principal,
    dealSetId: string,
    signal?: AbortSignal,
    call?: DealSetsCall,
  ): Promise<string> {
    return this.#call(GET_ENDPOINT, principal, signal, call, async (caller, limit) => {
      const response = await this.dealSets.get(caller, dealSetId, limit);
      return this.#json(response, GET_ENDPOINT, caller);
    });
  }

  /**
   * Whether the principal can call `list` or `get`, by rollout and scope. A protocol need not offer
   * what cannot be called.
   */
  async isOn(
    endpoint: 'list' | 'get',
    principal: Principal,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      const policy = endpoint === 'list' ? LIST_ENDPOINT : GET_ENDPOINT;
      await this.#admit(policy, frozenPrincipal(principal), signal);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  #json(response: unknown, policy: EndpointPolicy, caller: Principal): string {
    return JSON.stringify(this.redaction.redact(response, policy.response, caller));
  }

  /** Makes the checks of the guards, in the same order. */
  async #call<T>(
    policy: EndpointPolicy,
    principal: Principal,
    signal: AbortSignal | undefined,
    call: DealSetsCall | undefined,
    work: (caller: Principal, limit: AbortSignal, startedAt: number) => Promise<T>,
  ): Promise<T> {
    if (!PRINCIPAL_TYPES.includes(principal.type)) throw new AppError('unauthenticated');
    const caller = frozenPrincipal(principal);
    const { startedAt = performance.now() } = call ?? {};
    try {
      return await withTimeLimit(this.settings.requestDeadlineMs, signal, async (limit) => {
        await this.#admit(policy, caller, limit);
        if (!call?.isCounted) await this.rateLimiter.consumeOrThrow(policy.rateClass, caller);
        return work(caller, limit, startedAt);
      });
    } catch (error) {
      throw error instanceof TimeLimitError ? new AppError('unavailable') : error;
    }
  }

  async #admit(policy: EndpointPolicy, caller: Principal, signal: AbortSignal): Promise<void> {
    await this.rollout.check(policy.flag, caller, signal);
    assertAccess(policy, caller);
  }
}

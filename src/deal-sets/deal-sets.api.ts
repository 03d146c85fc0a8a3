import { Injectable } from '@nestjs/common';
import { assertAdmitted } from '../auth/scope.guard.js';
import { declaredAccess, type EndpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { parseIsoTime } from '../kernel/iso-time.js';
import type { Principal } from '../kernel/principal.js';
import { parseUuid } from '../kernel/uuid.js';
import { RateCounter } from '../rate-limit/rate-counter.js';
import { ResponseSerializer } from '../response-shape/response-serializer.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';

/** A page of the list, with what the headers of the endpoint say. */
export interface ListResult {
  /** JSON, byte for byte the body of the endpoint. */
  readonly body: string;
  /** `Service-More`. */
  readonly hasMore: boolean;
  /** `Service-As-Of`; null without `since`. */
  readonly asOf: string | null;
}

export interface DealSetsCall {
  /** The call was counted in its rate class already. Default: it is counted here. */
  readonly isCounted?: boolean;
}

const POLICIES = {
  list: policyOf('listDealSets'),
  get: policyOf('getDealSet'),
} as const;

/**
 * The two reads for other protocols: for a principal as the guards of REST verified it, under the same
 * rollout, scope, rate limit and deadline, and answered with the bytes of REST's body, redacted.
 */
@Injectable()
export class DealSetsApi {
  constructor(
    private readonly dealSets: DealSetsService,
    private readonly rollout: RolloutGuard,
    private readonly counter: RateCounter,
    private readonly serializer: ResponseSerializer,
  ) {}

  /** Whether `list` or `get` is on for the principal: what is off is not offered. */
  async isOn(endpoint: 'list' | 'get', principal: Principal, deadline: Deadline): Promise<boolean> {
    try {
      await this.#assertOpen(POLICIES[endpoint], principal, deadline);
      return true;
    } catch (error) {
      if (error instanceof AppError && CLOSED.includes(error.code)) return false;
      throw error;
    }
  }

  /**
   * The buyer's requests: the active ones, or with `since` a page of those that changed after it.
   *
   * @param options.since ISO 8601 time with a zone.
   * @throws {AppError} as REST answers.
   */
  async list(
    principal: Principal,
    { since }: { readonly since?: string | undefined },
    deadline: Deadline,
    call: DealSetsCall = {},
  ): Promise<ListResult> {
    await this.#admit(POLICIES.list, principal, deadline, call);
    const sinceMs = since === undefined ? undefined : parseIsoTime(since);
    if (sinceMs === null) throw new AppError('invalid_request', { reason: 'since_malformed' });
    const { answer, hasMore, asOf } =
      sinceMs === undefined
        ? await this.dealSets.listActive(principal, deadline)
        : await this.dealSets.listChangedSince(principal, sinceMs, deadline);
    return {
      body: this.serializer.write(POLICIES.list.response, answer, principal),
      hasMore,
      asOf,
    };
  }

  /**
   * One deal set with its ranked results.
   *
   * @param dealSetId anything but a UUID is not found.
   * @returns JSON, byte for byte the body of the endpoint.
   * @throws {AppError} as REST answers.
   */
  async get(
    principal: Principal,
    dealSetId: string,
    deadline: Deadline,
    call: DealSetsCall = {},
  ): Promise<string> {
    await this.#admit(POLICIES.get, principal, deadline, call);
    const id = parseUuid(dealSetId);
    if (id === undefined) throw new AppError('not_found');
    const answer = await this.dealSets.get(principal, id, deadline);
    return this.serializer.write(POLICIES.get.response, answer, principal);
  }

  async #admit(
    policy: EndpointPolicy,
    principal: Principal,
    deadline: Deadline,
    { isCounted = false }: DealSetsCall,
  ): Promise<void> {
    deadline.throwIfOver();
    await this.#assertOpen(policy, principal, deadline);
    if (!isCounted) await this.counter.count(policy.rateClass, principal);
  }

  async #assertOpen(
    policy: EndpointPolicy,
    principal: Principal,
    deadline: Deadline,
  ): Promise<void> {
    await this.rollout.assertOn(policy.flag, principal, deadline);
    assertAdmitted(policy, principal);
  }
}

const CLOSED: readonly string[] = ['not_found', 'forbidden', 'insufficient_scope'];

/** The declaration of REST's endpoint: there is one for both ways in. */
function policyOf(handler: 'listDealSets' | 'getDealSet'): EndpointPolicy {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- its metadata is read, it is not called
  const access = declaredAccess(DealSetsController.prototype[handler], DealSetsController);
  if (access === undefined || access === 'public') throw new Error(`${handler} is no endpoint`);
  return access;
}

import { Injectable } from '@nestjs/common';
import { Admission, type AdmissionOptions } from '../admission/admission.js';
import { Settings } from '../config/settings.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import type { AnyShape } from '../response-shape/field.js';
import type { EndpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { Deadline } from '../kernel/deadline.js';
import { parseIsoTime } from '../kernel/iso-time.js';
import { frozenPrincipal, PRINCIPAL_TYPES, type Principal } from '../kernel/principal.js';
import { parseUuid } from '../kernel/uuid.js';
import { ResponseSerializer } from '../response-shape/response-serializer.js';
import { DealSetsService } from './deal-sets.service.js';
import { GET_ENDPOINT, LIST_ENDPOINT } from './endpoints.js';

/** A page of the list as JSON, with what the headers of the endpoint say. */
export interface ListResult {
  /** JSON, byte for byte the body of the endpoint. */
  readonly body: string;
  /** `Service-More`. */
  readonly hasMore: boolean;
  /** `Service-As-Of`; null without `since`. */
  readonly asOf: string | null;
}

/** How a call of `DealSetsApi` is admitted. */
export type DealSetsCall = AdmissionOptions;

/**
 * The two reads for other protocols (MCP, gRPC, a job): under the same rollout, scope, rate limit, deadline
 * and redaction as the endpoints, counted in the same rate class.
 *
 * It does not authenticate: pass a principal that a guard of the service verified (`@CurrentPrincipal`), or one
 * that your own protocol verified with equal care. Every call throws `AppError`; its `code` is one of the
 * contract's, and anything else is a defect.
 */
@Injectable()
export class DealSetsApi {
  constructor(
    private readonly admission: Admission,
    private readonly dealSets: DealSetsService,
    private readonly serializer: ResponseSerializer,
    private readonly settings: Settings,
    private readonly registry: EndpointRegistry,
  ) {}

  /**
   * The buyer's requests: the active ones, or with `since` a page of those that changed after it.
   *
   * @param options.since ISO 8601 time with a zone.
   * @param deadline of the calling request; default: the service's own, from now.
   * @throws {AppError} `not_found` (the endpoint is off), `insufficient_scope`, `rate_limited`,
   *   `invalid_request`, `unavailable`.
   */
  list(
    principal: Principal,
    options: { readonly since?: string | undefined } = {},
    deadline?: Deadline,
    call?: DealSetsCall,
  ): Promise<ListResult> {
    return this.#call(LIST_ENDPOINT, { principal, deadline, call }, async (caller, limit) => {
      const { since } = options;
      const sinceMs = since === undefined ? undefined : parseIsoTime(since);
      if (sinceMs === null) throw new AppError('invalid_request', { reason: 'since_malformed' });
      const { response, hasMore, asOf } =
        sinceMs === undefined
          ? await this.dealSets.listActive(caller, limit)
          : await this.dealSets.listChangedSince(caller, sinceMs, limit);
      return {
        body: this.serializer.write(LIST_ENDPOINT.response, response, caller),
        hasMore,
        asOf,
      };
    });
  }

  /**
   * One deal set with its ranked results.
   *
   * @param dealSetId anything but a UUID is not found.
   * @returns JSON, byte for byte the body of the endpoint.
   * @throws {AppError} `not_found`, `insufficient_scope`, `rate_limited`, `unavailable`.
   */
  get(
    principal: Principal,
    dealSetId: string,
    deadline?: Deadline,
    call?: DealSetsCall,
  ): Promise<string> {
    return this.#call(GET_ENDPOINT, { principal, deadline, call }, async (caller, limit) => {
      const id = parseUuid(dealSetId);
      if (id === undefined) throw new AppError('not_found');
      const response = await this.dealSets.get(caller, id, limit);
      return this.serializer.write(GET_ENDPOINT.response, response, caller);
    });
  }

  /** Whether `list` or `get` is on for the principal and its scopes: what it cannot call is not offered. */
  isOn(endpoint: 'list' | 'get', principal: Principal, deadline: Deadline): Promise<boolean> {
    const policy = endpoint === 'list' ? LIST_ENDPOINT : GET_ENDPOINT;
    return this.admission.isOn(policy, frozenPrincipal(principal), deadline);
  }

  /** The shape of what `list` or `get` returns, with the fields of the team: for the schema of a tool, say. */
  responseShape(endpoint: 'list' | 'get'): AnyShape {
    return this.registry.shapeOf(
      endpoint === 'list' ? LIST_ENDPOINT.response : GET_ENDPOINT.response,
    );
  }

  async #call<T>(
    policy: EndpointPolicy,
    { principal, deadline: given, call }: Caller,
    work: (caller: Principal, limit: Deadline) => Promise<T>,
  ): Promise<T> {
    if (!PRINCIPAL_TYPES.includes(principal.type)) throw new AppError('unauthenticated');
    const caller = frozenPrincipal(principal);
    const limitMs = this.settings.requestDeadlineMs;
    // One that ends sooner is used as it is: the caller sees that it is over when the call ends by it.
    const isSooner = given !== undefined && given.remainingMs <= limitMs;
    const limit = isSooner ? given : (given?.within(limitMs) ?? new Deadline(limitMs));
    try {
      return await limit.race(
        this.admission.admit(policy, caller, limit, call).then(() => work(caller, limit)),
      );
    } finally {
      if (!isSooner) limit.finish();
    }
  }
}

interface Caller {
  readonly principal: Principal;
  readonly deadline: Deadline | undefined;
  readonly call: DealSetsCall | undefined;
}

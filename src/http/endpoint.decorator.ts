import {
  applyDecorators,
  SetMetadata,
  UseInterceptors,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import type { ErrorCode } from '../kernel/app-error.js';
import type { PrincipalType } from '../kernel/principal.js';
import type { AnyShape, JsonSchema } from '../response-shape/field.js';
import { JsonBodyInterceptor } from './json-body.interceptor.js';
import type { OwnError } from './own-errors.js';

export interface DocumentedHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  /** Whether every success response carries it. */
  readonly isAlways: boolean;
}

/** What the API description says besides what follows from the declaration. */
export interface EndpointDocumentation {
  /** Default: the controller's name. */
  readonly tag?: { readonly name: string; readonly description: string };
  readonly responseDescription?: string;
  readonly responseHeaders?: Readonly<Record<string, DocumentedHeader>>;
  /** A result as the handler returns it to a type of principal; it is redacted before it is shown. */
  readonly example?: (principalType: PrincipalType) => unknown;
  /** Rules for clients, for the documentation page. Text between backticks is code. */
  readonly guide?: { readonly heading: string; readonly rules: readonly string[] };
  /** A query of the example request, for the documentation page. */
  readonly exampleQuery?: string;
  /** Members of the operation whose names begin with `x-`. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>>;
}

/**
 * The one declaration of an endpoint. Guards, body reader, serializer, boot check and API description
 * read it.
 */
export interface EndpointPolicy {
  /** Rollout flag, `[a-z][a-z0-9_]*`, set by `ROLLOUT_<FLAG>`. A new flag is off until it is set. */
  readonly flag: string;
  /** The scope that the caller's credential must hold: one scope token (RFC 6749, section 3.3). */
  readonly scope: string;
  /** The rate class that its requests count in (contract, section 8). */
  readonly rateClass: string;
  /** Shape of the result. What it does not declare is never sent. */
  readonly response: AnyShape;
  /**
   * Errors of the handler itself; those of guards, deadline and input follow from the rest. An own error is
   * sent when the handler throws it (`DeclaredError`) or Nest's exception of its status.
   */
  readonly errors?: readonly (ErrorCode | OwnError)[];
  /** One line for the API description. */
  readonly summary: string;
  readonly description?: string;
  /** The types of principal that may call it. Default: all. */
  readonly principals?: readonly PrincipalType[];
  /** DTO class of a JSON body, the type of the handler's `@Body()`. Without it no body is read. */
  readonly body?: Type;
  readonly documentation?: EndpointDocumentation;
  /** Declares an endpoint that speaks a protocol of its own, such as MCP. */
  readonly protocol?: EndpointProtocol;
}

/**
 * How an endpoint with a protocol of its own differs from the others. It is an OAuth protected resource
 * of its own (RFC 9728): only access tokens issued for `PUBLIC_URL` or for its address open it, a session
 * never does, and its challenges name its metadata. A `Host` or `Origin` other than `PUBLIC_URL`'s is
 * refused (`forbidden`). A request over the rate limit reaches the handler, which gets the refusal by
 * `@RateLimitRefusal()` and sends or throws it. The handler returns a `ProtocolResponse`, which is sent as
 * it is: data of a buyer in it must come from `DealSetsApi`, which redacts.
 */
export interface EndpointProtocol {
  /** Path of the protected resource: `/mcp`. */
  readonly resource: string;
}

/** What a handler declares: its policy, or that it is public. */
export type DeclaredAccess = EndpointPolicy | 'public';

const ENDPOINT_METADATA = 'deal-sets:endpoint';

/** Declares a handler as an endpoint for signed-in callers. */
export function Endpoint(policy: EndpointPolicy): MethodDecorator {
  const declare = SetMetadata(ENDPOINT_METADATA, Object.freeze({ ...policy }));
  return policy.body
    ? applyDecorators(declare, UseInterceptors(JsonBodyInterceptor))
    : applyDecorators(declare);
}

/** Opens a handler, or every handler of a controller, to anyone: no sign-in, no rollout, no rate limit. */
export const Public = (): MethodDecorator & ClassDecorator =>
  SetMetadata(ENDPOINT_METADATA, 'public');

/** What a handler declares, its own declaration before its controller's; undefined when neither has one. */
export function declaredAccess(
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- Nest's own type of a handler
  handler: Function,
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- and of a controller
  controller: Function,
): DeclaredAccess | undefined {
  const own = Reflect.getMetadata(ENDPOINT_METADATA, handler) as DeclaredAccess | undefined;
  return own ?? (Reflect.getMetadata(ENDPOINT_METADATA, controller) as DeclaredAccess | undefined);
}

/** By controller, then by handler: a handler's declaration is needed five times a request, its metadata is read once. */
const declared = new WeakMap<object, WeakMap<object, DeclaredAccess>>();

/** The policy of the called handler; undefined when it is public. */
export function endpointPolicy(context: ExecutionContext): EndpointPolicy | undefined {
  const handler = context.getHandler();
  const controller = context.getClass();
  let access = declared.get(controller)?.get(handler);
  if (access === undefined) {
    access = declaredAccess(handler, controller);
    // The boot stops on a handler without a declaration; one that is added later is refused as well.
    if (access === undefined) throw new Error('a handler without a declaration was called');
    let ofController = declared.get(controller);
    if (!ofController) declared.set(controller, (ofController = new WeakMap()));
    ofController.set(handler, access);
  }
  return access === 'public' ? undefined : access;
}

/** Whether the policy lets this type of principal call. */
export function admitsType({ principals }: EndpointPolicy, type: PrincipalType): boolean {
  return principals === undefined || principals.includes(type);
}

import { SetMetadata, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExcludeController, ApiExcludeEndpoint } from '@nestjs/swagger';
import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';
import type { PrincipalType } from '../kernel/principal.js';
import type { JsonSchema } from '../redaction/field.js';
import type { EndpointError } from '../http/endpoint-error.js';

export interface DocumentedHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  /** Every success response carries it. */
  readonly required?: boolean;
}

/** What the API description says besides what follows from the declaration. */
export interface EndpointDocumentation {
  /** Default: the summary. */
  readonly responseDescription?: string;
  readonly responseHeaders?: Readonly<Record<string, DocumentedHeader>>;
  /** A result as the handler returns it to a type of principal; it is redacted before it is shown. */
  readonly example?: (principalType: PrincipalType) => unknown;
  /** Status of a success. Default: 200, with a body 201. */
  readonly status?: number;
  /** The cause that the example of `invalid_request` names. */
  readonly invalidReason?: ErrorReason;
}

/** The one declaration of an endpoint: guards, interceptor, boot check and API description read it. */
export interface EndpointPolicy {
  /** Rollout flag, `[a-z][a-z0-9_]*`, set by `ROLLOUT_<FLAG>`. A new flag is off until it is set. */
  readonly flag: string;
  /** The scope that the caller's credential must hold: one scope token (RFC 6749, section 3.3). */
  readonly scope: string;
  /** The rate class that its requests count in (contract, section 8). */
  readonly rateClass: string;
  /** DTO class of the result. What it does not declare is never sent. */
  readonly response: Type;
  /** Errors of the handler itself; those of guards, deadline and input follow from the rest. */
  readonly errors?: readonly (ErrorCode | EndpointError)[];
  /** One line for the API description. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** The types of principal that may call it. Default: all. */
  readonly principals?: readonly PrincipalType[];
  /** DTO class of a JSON body, the type of the handler's `@Body()`. */
  readonly body?: Type;
  readonly documentation?: EndpointDocumentation;
}

const ENDPOINT_METADATA = 'deal-sets:endpoint';

/** The errors that an endpoint declares beside the contract's. */
export function endpointErrorsOf({ errors = [] }: EndpointPolicy): readonly EndpointError[] {
  return errors.filter((error) => typeof error !== 'string');
}

/** Records the policy of a handler, for the registry of endpoints. */
export function declareEndpoint(policy: EndpointPolicy): MethodDecorator {
  return SetMetadata(ENDPOINT_METADATA, Object.freeze({ ...policy }));
}

/**
 * Opens a handler, or every handler of a controller, to anyone: no sign-in, no rollout, no rate limit. The API
 * description leaves it out.
 */
export const Public =
  (): MethodDecorator & ClassDecorator =>
  (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    SetMetadata(ENDPOINT_METADATA, 'public')(target as never, key as never, descriptor as never);
    if (key !== undefined && descriptor) ApiExcludeEndpoint()(target, key, descriptor);
    else ApiExcludeController()(target as never);
  };

const reflector = new Reflector();

/** A handler's own declaration before its controller's; undefined when neither has one. */
export function declaredAccess(
  ...targets: Parameters<Reflector['getAllAndOverride']>[1]
): EndpointPolicy | 'public' | undefined {
  return reflector.getAllAndOverride(ENDPOINT_METADATA, targets);
}

type Called = Pick<ExecutionContext, 'getHandler' | 'getClass'>;

/**
 * Whether a call is one of an endpoint that `@Endpoint` declares, ours or a team's. For the global guards and
 * interceptors of a host application, which run before ours and should pass over such calls.
 */
export function isDealSetsEndpoint(context: Called): boolean {
  return typeof declaredAccess(context.getHandler(), context.getClass()) === 'object';
}

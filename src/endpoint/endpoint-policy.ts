import { SetMetadata, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExcludeController, ApiExcludeEndpoint } from '@nestjs/swagger';
import type { ErrorCode, ErrorReason } from '../kernel/error-catalogue.js';
import type { PrincipalType } from '../kernel/principal.js';
import type { JsonSchema } from '../redaction/field.js';
import type { EndpointError } from '../http/endpoint-error.js';

/** A response header in the API description. */
export interface DocumentedHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  /** Whether the header is present on every response for which it is documented. */
  readonly required?: boolean;
}

/** Documentation that does not follow from the rest of the policy. */
export interface EndpointDocumentation {
  /** Default: the summary. */
  readonly responseDescription?: string;
  readonly responseHeaders?: Readonly<Record<string, DocumentedHeader>>;
  /**
   * Returns an example of the handler's result for a principal type. The API description shows it
   * redacted.
   */
  readonly example?: (principalType: PrincipalType) => unknown;
  /** The reason that the example of `invalid_request` shows. */
  readonly invalidReason?: ErrorReason;
}

/**
 * The complete declaration of an endpoint, for the guards, the interceptors, the boot check and the
 * API description.
 *
 * @typeParam Response - the class `response`. The handler returns an instance of it, or an object
 *   with the same properties.
 */
export interface EndpointPolicy<Response extends object = object> {
  /**
   * Rollout flag, `[a-z][a-z0-9_]*`, set by `ROLLOUT_<FLAG>`. A new flag is off until it is set.
   */
  readonly flag: string;
  /** The scope that the caller's credential must hold: one scope token (RFC 6749, section 3.3). */
  readonly scope: string;
  /** The rate class in which the endpoint's requests are counted (contract, section 8). */
  readonly rateClass: string;
  /** DTO class of the result, whose undeclared properties are never sent. */
  readonly response: Type<Response>;
  /**
   * Errors of the handler itself. Those of the guards, the deadline and the input follow from the
   * other members.
   */
  readonly errors?: readonly (ErrorCode | EndpointError)[];
  /** One line for the API description. */
  readonly summary: string;
  /** Markdown for the API description. */
  readonly description?: string;
  /** The principal types that may call the endpoint. Default: all. */
  readonly principals?: readonly PrincipalType[];
  /** DTO class of a JSON body: the type of the handler's `@Body()`. */
  readonly body?: Type;
  readonly documentation?: EndpointDocumentation;
}

const ENDPOINT_METADATA = 'deal-sets:endpoint';

/** Returns the errors that an endpoint declares besides those of the contract. */
export function endpointErrorsOf({ errors = [] }: EndpointPolicy): readonly EndpointError[] {
  return errors.filter((error) => typeof error !== 'string');
}

/** Records the policy of a handler, for the registry of endpoints. */
export function declareEndpoint(policy: EndpointPolicy): MethodDecorator {
  return SetMetadata(ENDPOINT_METADATA, Object.freeze({ ...policy }));
}

/**
 * Opens a handler, or every handler of a controller, to anyone: the service requires no sign-in and
 * applies no rollout and no rate limit. The API description omits the handler.
 */
export const Public =
  (): MethodDecorator & ClassDecorator =>
  (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    SetMetadata(ENDPOINT_METADATA, 'public')(target as never, key as never, descriptor as never);
    if (key !== undefined && descriptor) ApiExcludeEndpoint()(target, key, descriptor);
    else ApiExcludeController()(target as never);
  };

/**
 * Marks a route of the service that is not an endpoint, such as its OAuth metadata. Global guards
 * and interceptors of a host application should skip it as they skip endpoints.
 */
export const ServiceRoute = Reflector.createDecorator<true>();

const reflector = new Reflector();

/**
 * Returns the declaration of a handler, otherwise that of its controller; undefined when neither
 * has one.
 */
export function declaredAccess(
  ...targets: Parameters<Reflector['getAllAndOverride']>[1]
): EndpointPolicy | 'public' | undefined {
  return reflector.getAllAndOverride(ENDPOINT_METADATA, targets);
}

/**
 * Returns whether a call goes to an endpoint declared by `@Endpoint`, of the service or of the host
 * application, or to another route of the service. Global guards and interceptors of a host
 * application run before those of the service and should skip such calls.
 */
export function isDealSetsEndpoint(
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): boolean {
  const targets = [context.getHandler(), context.getClass()];
  return (
    typeof declaredAccess(...targets) === 'object' ||
    reflector.getAllAndOverride<true | undefined>(ServiceRoute.KEY, targets) === true
  );
}

import { applyDecorators, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiExcludeController, ApiExcludeEndpoint } from '@nestjs/swagger';
import type { EndpointError } from './endpoint-error.js';
import { declarePolicy, DEFAULT_RATE_CLASS, policyOf, type Policy } from '../http/policy.js';
import type { ErrorCode, ErrorReason } from '../kernel/error-catalogue.js';
import type { PrincipalType } from '../kernel/principal.js';
import type { JsonSchema } from '../redaction/field.js';

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
 * The complete declaration of an endpoint, for the guards, the interceptors and the API
 * description.
 *
 * @typeParam Response - the class `response`. The handler returns an instance of it, or an object
 *   with the same properties.
 */
export interface EndpointPolicy<Response extends object = object> extends Omit<Policy, 'kind'> {
  readonly scope: string;
  /** DTO class of the result, whose undeclared properties are never sent. */
  readonly response: Type<Response>;
  /** The status of a success response. Default: 200. */
  readonly status?: number;
  /**
   * Errors of the handler itself, for the API description. Those of the guards, the deadline and
   * the input follow from the other members.
   */
  readonly errors?: readonly (ErrorCode | EndpointError)[];
  /** One line for the API description. */
  readonly summary?: string;
  /** Markdown for the API description. */
  readonly description?: string;
  /**
   * DTO class of a JSON body, the type of the handler's `@Body()`, for the API description and for
   * the log line of a rejected body.
   */
  readonly body?: Type;
  readonly documentation?: EndpointDocumentation;
}

/** Returns the errors that an endpoint declares besides those of the contract. */
export function endpointErrorsOf({ errors = [] }: EndpointPolicy): readonly EndpointError[] {
  return errors.filter((error) => typeof error !== 'string');
}

/** Declares the policy of an endpoint, with the defaults of what it leaves out. */
export function declareEndpoint(policy: EndpointPolicy): MethodDecorator {
  const { rateClass = DEFAULT_RATE_CLASS } = policy;
  return declarePolicy({ ...policy, kind: 'endpoint', rateClass });
}

/**
 * Declares that a handler, or every handler of a controller, is open to anyone: it has no sign-in,
 * no rollout and no rate limit. It does not remove the guard of a controller's `@RequireScope`. The
 * API description omits the handler.
 */
export function Public(): ClassDecorator & MethodDecorator {
  return applyDecorators(declarePolicy({ kind: 'public' }), excludeFromDescription);
}

/**
 * Opens a route of the service that is not an endpoint, such as its OAuth metadata, to anyone.
 * Global guards and interceptors of a host application should skip it as they skip endpoints.
 */
export function ServiceRoute(): ClassDecorator & MethodDecorator {
  return applyDecorators(declarePolicy({ kind: 'service' }), excludeFromDescription);
}

const excludeFromDescription = (
  target: object,
  name?: string | symbol,
  descriptor?: PropertyDescriptor,
): void => {
  if (name !== undefined && descriptor) ApiExcludeEndpoint()(target, name, descriptor);
  else ApiExcludeController()(target as never);
};

/**
 * Returns whether a call goes to an endpoint declared by `@Endpoint`, of the service or of the host
 * application, or to another route of the service. Global guards and interceptors of a host
 * application run before those of the service and should skip such calls.
 */
export function isDealSetsEndpoint(
  call: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): boolean {
  const { kind } = policyOf({ handler: call.getHandler(), controller: call.getClass() });
  return kind === 'endpoint' || kind === 'service';
}

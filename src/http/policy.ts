import type { Type } from '@nestjs/common';
import type { PrincipalType } from '../kernel/principal.js';

/**
 * What a handler declares about its callers and its response. `@Endpoint`, `@RequireScope` and
 * `@Redacted` each declare a part of it. The first guard stores the policy of the handler in the
 * request's context, where the other guards and the interceptors read it.
 */
export interface Policy {
  /**
   * What kind of route the handler is: an endpoint with sign-in and redaction; a route of the
   * service that is open to anyone, such as its OAuth metadata; or a route of the application that
   * is (`@Public`). Undefined for handlers that declare none of these.
   */
  readonly kind?: 'endpoint' | 'service' | 'public';
  /** The rollout flag, `[a-z][a-z0-9_]*`, set by `ROLLOUT_<FLAG>`. Default: on for everyone. */
  readonly flag?: string;
  /** The scope that an assistant must hold: one scope token (RFC 6749, section 3.3). */
  readonly scope?: string;
  /**
   * The types of principal that may call the handler. Default: those of the controller, otherwise
   * all.
   */
  readonly principals?: readonly PrincipalType[] | undefined;
  /** The rate class in which requests are counted (contract, section 8). Default: `read`. */
  readonly rateClass?: string;
  /** DTO class of a JSON body, the type of the handler's `@Body()`. */
  readonly body?: Type | undefined;
  /** DTO class by which the result is redacted. */
  readonly response?: Type<object> | undefined;
}

/** The rate class of the two reads (contract, section 8). */
export const DEFAULT_RATE_CLASS = 'read';

/** The metadata key of the policy, on the function of a handler or on a controller. */
const POLICY = Symbol('deal sets policy');
/** The metadata key that marks the property of a controller whose function had a policy. */
const HAS_POLICY = Symbol('deal sets policy declared');

/** A route's handler and its controller. */
interface HandlerOfController {
  readonly handler: object;
  readonly controller: Type;
}

/**
 * Adds declarations to the policy of a handler, or of every handler of a controller. A member that
 * is undefined declares nothing: on a handler, the value of the controller applies.
 */
export function declarePolicy(declared: Policy): ClassDecorator & MethodDecorator {
  const members = Object.entries(declared).filter(([, value]) => value !== undefined);
  const policy = Object.fromEntries(members) as Policy;
  return (target: object, name?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const subject = (descriptor?.value ?? target) as object;
    Reflect.defineMetadata(POLICY, { ...declaredOn(subject), ...policy }, subject);
    if (name !== undefined) Reflect.defineMetadata(HAS_POLICY, true, target, name);
  };
}

/** Returns the policy of a handler: what its controller declares, then what it declares itself. */
export function policyOf({ handler, controller }: HandlerOfController): Policy {
  return { ...declaredOn(controller), ...declaredOn(handler) };
}

/**
 * Returns whether a decorator has replaced the function of a handler after its policy was declared.
 * Guards and interceptors are metadata of the function, so they are lost then.
 *
 * @param method the name of the handler's property on the controller.
 */
export function isReplaced({ handler, controller }: HandlerOfController, method: string): boolean {
  let owner = controller.prototype as object;
  while (!Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object;
  return Reflect.hasOwnMetadata(HAS_POLICY, owner, method) && declaredOn(handler) === undefined;
}

function declaredOn(subject: object): Policy | undefined {
  return Reflect.getMetadata(POLICY, subject) as Policy | undefined;
}

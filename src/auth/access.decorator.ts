import { SetMetadata, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import type { Endpoint } from '../kernel/endpoint.js';

/** Who may call a handler, and on which terms. */
export interface AccessTerms {
  /** Names the endpoint's rollout flag. */
  readonly endpoint: Endpoint;
  /** The scope that the caller's credential must hold. */
  readonly scope: string;
  /** The rate class (contract, section 8) that its calls count in. */
  readonly rateClass: 'read';
}

/** What a handler declares: terms of access, or that anyone may call it. */
export type DeclaredAccess = AccessTerms | 'public';

export const ACCESS_METADATA = 'deal-sets:access';

/** Opens a handler to signed-in callers on the given terms. */
export const Access = (terms: AccessTerms): CustomDecorator =>
  SetMetadata(ACCESS_METADATA, Object.freeze({ ...terms }));

/** Opens a handler, or every handler of a controller, to anyone: no sign-in, no rollout, no rate limit. */
export const Public = (): CustomDecorator => SetMetadata(ACCESS_METADATA, 'public');

/** What a handler declares, its own declaration before its controller's; undefined when neither has one. */
export function declaredAccess(
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- Nest's own type of a handler
  handler: Function,
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- and of a controller
  controller: Function,
): DeclaredAccess | undefined {
  const own = Reflect.getMetadata(ACCESS_METADATA, handler) as DeclaredAccess | undefined;
  return own ?? (Reflect.getMetadata(ACCESS_METADATA, controller) as DeclaredAccess | undefined);
}

/** The terms on which the called handler is open; undefined when it is public. */
export function accessTerms(context: ExecutionContext): AccessTerms | undefined {
  const access = declaredAccess(context.getHandler(), context.getClass());
  // The boot stops on a handler without a declaration; one that comes up later all the same stays shut.
  if (access === undefined) throw new Error('a handler without declared access was called');
  return access === 'public' ? undefined : access;
}

import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Route } from './route-discovery.js';

/** Declares the content that `ResponseContentCheck` enforces. */
export const DeclaredContent = Reflector.createDecorator<'redacted'>();

/**
 * The metadata key with which `@nestjs/cache-manager` finds the cache key of a handler. Its
 * interceptor caches nothing for a handler whose key is undefined.
 */
const CACHE_KEY_METADATA = 'cache_module:cache_key';
const neverCached = (): undefined => undefined;

/**
 * Declares that a handler's success response must be redacted for its request, and prevents
 * `@nestjs/cache-manager` from caching it, because caches must not share it between callers.
 */
export function declareRedacted(): MethodDecorator {
  return applyDecorators(
    DeclaredContent('redacted'),
    SetMetadata(CACHE_KEY_METADATA, neverCached),
    (target: object, name: string | symbol) =>
      Reflect.defineMetadata(DECLARED_METHOD, true, target, name),
  );
}

/** Metadata of a method by its name, which remains if another decorator replaces the function. */
const DECLARED_METHOD = 'deal-sets:declared-method';

/**
 * Returns whether a decorator has replaced the function of a handler after its content was declared.
 * The guards and interceptors are metadata of the function, so they are lost then.
 */
export function isReplaced({ controller, handler, method }: Route): boolean {
  let owner = controller.prototype as object;
  while (!Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object;
  const isDeclared = Reflect.hasOwnMetadata(DECLARED_METHOD, owner, method);
  return isDeclared && !Reflect.hasMetadata(DeclaredContent.KEY, handler);
}

/**
 * Prevents `@nestjs/cache-manager` from caching the result of a handler that declares no content,
 * unless the handler has a cache key of its own: for such a handler, which is not checked, the host
 * application decides.
 */
export function preventCaching(handler: object): void {
  if (Reflect.hasMetadata(CACHE_KEY_METADATA, handler)) return;
  Reflect.defineMetadata(CACHE_KEY_METADATA, neverCached, handler);
}

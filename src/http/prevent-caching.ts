/**
 * The metadata key with which `@nestjs/cache-manager` finds the cache key of a handler. Its
 * interceptor caches nothing for a handler whose key is undefined.
 */
const CACHE_KEY_METADATA = 'cache_module:cache_key';
const neverCached = (): undefined => undefined;

/**
 * Prevents `@nestjs/cache-manager` from caching the results of a handler, because each belongs to
 * one caller. A cache key that the handler declares itself is kept.
 */
export function preventCaching(handler: object): void {
  if (Reflect.hasMetadata(CACHE_KEY_METADATA, handler)) return;
  Reflect.defineMetadata(CACHE_KEY_METADATA, neverCached, handler);
}

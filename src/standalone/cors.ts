import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { REQUEST_ID_HEADER } from '../http/context/contract-headers.js';

type CorsOptions = NonNullable<Parameters<FastifyAdapter['enableCors']>[0]>;

/**
 * Returns the options of `@fastify/cors` for pages and apps that call the API with a bearer token.
 * Credentials are never allowed, so that only pages of the service's own origin can use the session
 * cookie.
 *
 * @param origins compared with `Origin` character by character.
 */
export function corsOptions(origins: readonly string[]): CorsOptions {
  return {
    // With a list of origins, the library would respond with 204 to a preflight from any origin.
    origin: (origin, callback) => callback(null, origins.includes(origin ?? '')),
    methods: ['GET', 'HEAD', 'POST'],
    // Tracing libraries add headers of their own to every request. The wildcard does not contain
    // `Authorization` (Fetch, section 4.8), and is allowed because there are no credentials.
    allowedHeaders: ['*', 'Authorization'],
    exposedHeaders: [
      'WWW-Authenticate',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'Service-API-Version',
      'Service-As-Of',
      'Service-More',
      REQUEST_ID_HEADER,
    ],
    credentials: false,
    // The library's strict mode responds with 400 without the error envelope.
    strictPreflight: false,
  };
}

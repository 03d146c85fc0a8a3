import {
  DealSetsClient,
  type DealSetsClientOptions,
  type DealSetsError,
} from '../../../packages/client/src/index.js';
import type { Credential } from '../../setup/test-service.js';

/** A client that signs in with the credential; Node's `fetch` has no cookies of its own, so they are added. */
export function clientOf(
  baseUrl: string,
  credential: Credential,
  options: Partial<DealSetsClientOptions> = {},
): DealSetsClient {
  if (credential === undefined) return new DealSetsClient({ baseUrl, ...options });
  if ('token' in credential) {
    return new DealSetsClient({ baseUrl, accessToken: () => credential.token, ...options });
  }
  const cookie = `__Host-session=${credential.cookie}`;
  return new DealSetsClient({
    baseUrl,
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), cookie } }),
    ...options,
  });
}

/** Keeps the codes of the failures that were retried. */
export function retriesIn(codes: string[]): Pick<DealSetsClientOptions, 'onRetry'> {
  return { onRetry: (error: DealSetsError) => void codes.push(error.code) };
}

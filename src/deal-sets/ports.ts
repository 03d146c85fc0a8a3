import type { Abstract, InjectionToken, Provider } from '@nestjs/common';
import { AssistantAuthenticator } from '../auth/assistant-authenticator.js';
import { GrantStore } from '../auth/grant-store.js';
import { SessionStore } from '../auth/session-store.js';
import { MetricsRegistry } from '../observability/metrics.js';
import { RequestObserver } from '../observability/request-observer.js';
import { RateLimitStorage } from '../rate-limit/rate-limit-storage.js';
import { Rollout } from '../rollout/rollout.js';
import { DisplayTexts } from './domain/display-texts.js';

/** Returns a port with the methods that an implementation must have. */
function port<T>(
  token: Abstract<T>,
  ...methods: readonly (keyof T & string)[]
): readonly [InjectionToken, readonly string[]] {
  return [token, methods];
}

/** Every port with its methods, which abstract classes do not have at run time. */
const METHODS_OF_PORTS: ReadonlyMap<InjectionToken, readonly string[]> = new Map([
  port(SessionStore, 'find'),
  port(GrantStore, 'find'),
  port(AssistantAuthenticator, 'authenticate'),
  port(Rollout, 'isOn'),
  port(RateLimitStorage, 'increment'),
  port(DisplayTexts, 'car', 'shortCar', 'requestedCar', 'status', 'questionHeading', 'headerLine'),
  port(RequestObserver, 'observe'),
  port(MetricsRegistry, 'registerMetric', 'metrics'),
]);

/** The tokens of the ports, which a host application may replace. */
export const PORTS: readonly InjectionToken[] = [...METHODS_OF_PORTS.keys()];

/** @throws {Error} for a provider that replaces no port, or a port that is replaced twice. */
export function assertPorts(providers: readonly Provider[]): void {
  const tokens = providers.map(tokenOf);
  for (const [index, token] of tokens.entries()) {
    if (!PORTS.includes(token)) {
      const known = PORTS.map(nameOf).join(', ');
      throw new Error(`providers: ${nameOf(token)} is no port: expected one of ${known}`);
    }
    if (tokens.indexOf(token) !== index) {
      throw new Error(`providers: ${nameOf(token)} is given twice: remove one of the two`);
    }
  }
}

/** @throws {Error} for a missing implementation of a port, or one without a method of the port. */
export function assertImplementation(token: InjectionToken, implementation: unknown): void {
  if (!implementation) throw new Error(`providers: no value was given for ${nameOf(token)}`);
  const members = implementation as Readonly<Record<string, unknown>>;
  const missing = METHODS_OF_PORTS.get(token)?.find((name) => typeof members[name] !== 'function');
  if (missing) {
    throw new Error(`providers: the provider of ${nameOf(token)} has no method ${missing}: add it`);
  }
}

/** Returns the token of a provider. */
export function tokenOf(provider: Provider): InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}

/** Returns the name of a token, for messages. */
export function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

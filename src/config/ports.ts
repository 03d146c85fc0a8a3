import {
  Scope,
  type Abstract,
  type InjectionToken,
  type Provider,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

/**
 * The ports, each with the names of its methods, because abstract methods do not exist at run time.
 */
export type Ports = ReadonlyMap<InjectionToken, readonly string[]>;

/** Returns a port with the methods that an implementation must have. */
export function port<T>(
  token: Abstract<T>,
  ...methods: readonly (keyof T & string)[]
): readonly [InjectionToken, readonly string[]] {
  return [token, methods];
}

/**
 * Checks that each provider replaces a port, and no port is replaced twice.
 *
 * @throws {Error} for a provider that does not replace a port, or a port that is replaced twice.
 */
export function assertPorts(providers: readonly Provider[], ports: Ports): void {
  const tokens = providers.map(tokenOf);
  for (const [index, token] of tokens.entries()) {
    if (token === undefined) {
      throw new Error('providers: expected a provider, not undefined: check for circular imports');
    }
    if (!ports.has(token)) {
      const known = [...ports.keys()].map(nameOf).join(', ');
      throw new Error(`providers: ${nameOf(token)} is not a port: expected one of ${known}`);
    }
    if (tokens.indexOf(token) !== index) {
      throw new Error(`providers: ${nameOf(token)} is given twice: remove one of the two`);
    }
  }
}

/**
 * Returns a provider that stops the boot unless each port has one complete implementation for all
 * requests.
 */
export function portCheck(ports: Ports): Provider {
  return {
    provide: Symbol('port check'),
    useFactory: (providers: ModuleRef) => ({
      onModuleInit: () => {
        for (const [token, methods] of ports) {
          if (providers.introspect(token as Type).scope !== Scope.DEFAULT) {
            throw new Error(
              `providers: ${nameOf(token)} is request-scoped or transient: provide one instance for all requests`,
            );
          }
          assertImplementation(token, methods, providers.get<unknown>(token, { strict: false }));
        }
      },
    }),
    inject: [ModuleRef],
  };
}

/**
 * Checks that a value implements a port.
 *
 * @throws {Error} for a missing value, or for one without a method of the port.
 */
export function assertImplementation(
  token: InjectionToken,
  methods: readonly string[],
  implementation: unknown,
): void {
  if (!implementation)
    throw new Error(`providers: no value was given for ${nameOf(token)}: provide one`);
  const members = implementation as Readonly<Record<string, unknown>>;
  const missing = methods.find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  throw new Error(`providers: the provider of ${nameOf(token)} has no method ${missing}: add it`);
}

/** Returns the providers that replace one of these ports. */
export function replacementsOf(
  ports: readonly { readonly provide: InjectionToken }[],
  providers: readonly Provider[],
): Provider[] {
  return providers.filter((provider) => ports.some(({ provide }) => provide === tokenOf(provider)));
}

/** Returns the token of a provider; undefined for a value that is not a provider. */
function tokenOf(provider: Provider | undefined): InjectionToken | undefined {
  return typeof provider === 'function' ? provider : provider?.provide;
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

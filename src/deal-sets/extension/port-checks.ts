import type { InjectionToken, Provider, Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { assertImplemented } from '../../kernel/port.js';
import { PORT_METHODS, PORT_TOKENS } from './ports.js';

/**
 * Checks that none of the host application's providers is meant to replace something that is not a
 * port. Otherwise the default would stay in use unnoticed.
 *
 * @param services the tokens of the service's own providers.
 * @throws {Error} for a provider of the service that is not a port, or for a port of another copy
 *   of the package.
 */
export function assertReplaceable(
  providers: readonly Provider[],
  services: readonly (InjectionToken | undefined)[],
): void {
  const ports = PORT_TOKENS.map(nameOf);
  for (const token of providers.map(providerToken)) {
    if (token === undefined || PORT_TOKENS.includes(token)) continue;
    const name = nameOf(token);
    if (ports.includes(name)) {
      throw new Error(`providers: ${name} is not the port of this copy of @deal-sets/service`);
    }
    if (services.includes(token)) {
      throw new Error(`providers: ${name} is not a port: expected one of ${ports.join(', ')}`);
    }
  }
}

/**
 * Checks that no other module of the application provides a port. Nest would not use such a
 * provider, so sign-in, for example, would silently go on with the default.
 *
 * @param place the module that provides the ports.
 * @throws {Error} naming the port and the module.
 */
export function assertPortsInPlace(modules: ModulesContainer, place: object): void {
  for (const { metatype, name, providers } of modules.values()) {
    const port = metatype === place ? undefined : PORT_TOKENS.find((token) => providers.has(token));
    if (port === undefined) continue;
    throw new Error(
      `${name}: provide ${nameOf(port)} in the option \`providers\` of DealSetsModule instead`,
    );
  }
}

/**
 * Checks that each port has its methods, whoever implements it. An implementation that Nest creates
 * for each request does not exist yet.
 *
 * @param place the module that provides the ports.
 * @throws {Error} naming the port and the methods that it lacks.
 */
export function assertPortsImplemented(modules: ModulesContainer, place: object): void {
  for (const { metatype, providers } of modules.values()) {
    if (metatype !== place) continue;
    for (const [port, methods] of PORT_METHODS) {
      const provider = providers.get(port);
      if (!provider?.isDependencyTreeStatic()) continue;
      assertImplemented(nameOf(port), methods, provider.instance);
    }
  }
}

/**
 * Checks that the application imports the module of the service once. A second import would create
 * the endpoints and their metrics again.
 *
 * @param imported the class of the module.
 * @throws {Error} naming the mistake and its remedy.
 */
export function assertImportedOnce(modules: ModulesContainer, imported: Type): void {
  const imports = [...modules.values()].filter(({ metatype }) => metatype === imported);
  if (imports.length === 1) return;
  throw new Error(
    `${imported.name} is imported more than once: import it in the root module alone, because it is global`,
  );
}

/** Returns the token of a provider; undefined for a value that is not a provider. */
export function providerToken(provider: Provider | undefined): InjectionToken | undefined {
  return typeof provider === 'function' ? provider : provider?.provide;
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

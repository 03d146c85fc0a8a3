import type { InjectionToken, Provider, Type } from '@nestjs/common';

/** A factory of a part, with the tokens of what it is given. */
interface Factory<T> {
  readonly useFactory: (...dependencies: never[]) => T | Promise<T>;
  readonly inject?: readonly InjectionToken[];
}

/** A part that wraps the shipped one. */
interface Decoration<T> {
  /** @param standard the shipped part, made and started as if it were used alone; never undefined. */
  readonly decorate: (standard: T, ...dependencies: never[]) => T | Promise<T>;
  readonly inject?: readonly InjectionToken[];
}

/**
 * How a team replaces a part: a class that Nest makes, a factory with its dependencies, an object, or a
 * function that wraps the shipped part.
 */
export type Override<T> = Type<T> | Factory<T> | { readonly useValue: T } | Decoration<T>;

/** An override of a part that nothing is shipped for. */
export type Undecorated<T> = Exclude<Override<T>, Decoration<T>>;

/** Nest's mark of a class that is made by the injector. */
const INJECTABLE = '__injectable__';

const standardTokens = new Map<InjectionToken, symbol>();

/** The token of the shipped part that a decoration wraps. */
export function standardToken(port: InjectionToken): symbol {
  let token = standardTokens.get(port);
  if (token === undefined) {
    token = Symbol(`standard ${nameOf(port)}`);
    standardTokens.set(port, token);
  }
  return token;
}

/**
 * The Nest providers of a port: the team's part where one is given, else the default. Modules bind their
 * ports through it because Nest cannot replace a provider from outside the module that declares it.
 *
 * @throws {Error} for a class that Nest could only make without its arguments.
 */
export function overrideProviders<T>(
  port: InjectionToken<T>,
  override: Override<T> | undefined,
  standard: Undecorated<T>,
): Provider[] {
  if (override === undefined) return [providerOf(port, standard)];
  if (!isDecoration(override)) return [providerOf(port, override)];
  const token = standardToken(port);
  const { decorate, inject = [] } = override;
  return [
    providerOf(token as InjectionToken<T>, standard),
    {
      provide: port,
      useFactory: async (...given: unknown[]) =>
        present(await (decorate as (...all: unknown[]) => unknown)(...given), port),
      inject: [token, ...inject],
    },
  ];
}

/** Whether the override wraps the shipped part. */
export function isDecoration<T>(override: Override<T> | undefined): override is Decoration<T> {
  return typeof override === 'object' && 'decorate' in override;
}

function providerOf<T>(
  token: InjectionToken<T>,
  override: Exclude<Override<T>, Decoration<T>>,
): Provider {
  if (typeof override === 'function') {
    if (override.length > 0 && !Reflect.hasOwnMetadata(INJECTABLE, override)) {
      throw new Error(
        `${override.name}: add @Injectable(), or its constructor gets no arguments (part ${nameOf(token)})`,
      );
    }
    return { provide: token, useClass: override };
  }
  if ('useFactory' in override) {
    return {
      provide: token,
      useFactory: override.useFactory as () => T,
      inject: [...(override.inject ?? [])],
    };
  }
  return { provide: token, useValue: present(override.useValue, token) };
}

/** @throws {Error} when there is no part: requests would fail one by one where the boot should. */
function present<T>(part: T, token: InjectionToken): T {
  if (part === undefined || part === null)
    throw new Error(`no part was given for ${nameOf(token)}`);
  return part;
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

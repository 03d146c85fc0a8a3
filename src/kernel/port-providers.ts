import type { InjectionToken, ModuleMetadata, Provider } from '@nestjs/common';

/**
 * What a team brings in place of the service's ports: plain providers of Nest, and the modules whose providers they
 * ask for. Each module of the service takes those of its own ports, after its defaults: of two providers with one
 * token the last is used.
 */
export class PortProviders {
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly #providers: readonly Provider[];

  /**
   * @param ports every token that may be replaced.
   * @throws {Error} naming a provider that is no port, or has no value.
   */
  constructor(
    ports: readonly InjectionToken[],
    { imports = [], providers = [] }: Pick<ModuleMetadata, 'imports' | 'providers'>,
  ) {
    const known = ports.map(nameOf).join(', ');
    for (const provider of providers) {
      const token = tokenOf(provider);
      if (!ports.includes(token)) {
        throw new Error(`providers: ${nameOf(token)} is no port: expected one of ${known}`);
      }
      if (typeof provider === 'object' && 'useValue' in provider) present(provider.useValue, token);
    }
    this.imports = imports;
    this.#providers = providers.map(checked);
  }

  /** The team's providers of these ports. */
  of(...ports: readonly InjectionToken[]): Provider[] {
    return this.#providers.filter((provider) => ports.includes(tokenOf(provider)));
  }
}

function tokenOf(provider: Provider): InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}

/** A factory that makes nothing stops the boot, where requests would fail one by one. */
function checked(provider: Provider): Provider {
  if (typeof provider === 'function' || !('useFactory' in provider)) return provider;
  const make = provider.useFactory as (...given: unknown[]) => unknown;
  return {
    ...provider,
    useFactory: async (...given: unknown[]) => present(await make(...given), provider.provide),
  };
}

function present(part: unknown, token: InjectionToken): unknown {
  if (part === undefined || part === null) {
    throw new Error(`providers: no value was given for ${nameOf(token)}`);
  }
  return part;
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

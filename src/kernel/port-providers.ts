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
   * @throws {Error} naming a provider that is no port.
   */
  constructor(
    ports: readonly InjectionToken[],
    { imports = [], providers = [] }: Pick<ModuleMetadata, 'imports' | 'providers'>,
  ) {
    const stranger = providers.map(tokenOf).find((token) => !ports.includes(token));
    if (stranger !== undefined) {
      const known = ports.map(nameOf).join(', ');
      throw new Error(`providers: ${nameOf(stranger)} is no port: expected one of ${known}`);
    }
    this.imports = imports;
    this.#providers = providers;
  }

  /** The team's providers of these ports. */
  of(...ports: readonly InjectionToken[]): Provider[] {
    return this.#providers.filter((provider) => ports.includes(tokenOf(provider)));
  }
}

function tokenOf(provider: Provider): InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

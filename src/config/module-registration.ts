import type { ModuleMetadata, Provider } from '@nestjs/common';

/** The arguments with which `DealSetsModule` registers a module of the service. */
export interface ModuleRegistration {
  /** The modules whose exports its providers inject. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  /**
   * The host application's replacements for the module's ports. Nest uses the last provider of a
   * token.
   */
  readonly replacements?: readonly Provider[];
}

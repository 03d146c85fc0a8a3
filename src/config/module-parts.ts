import type { ModuleMetadata, Provider } from '@nestjs/common';

/** What a module of the service is given when `DealSetsModule` assembles it. */
export interface ModuleParts {
  /** The modules whose exports its providers inject. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  /** Providers of a host application in place of the module's ports. The last provider of a token is used. */
  readonly replacements?: readonly Provider[];
}

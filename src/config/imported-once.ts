import type { Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/**
 * Checks that the application has one instance of a module.
 *
 * @param advice what to change; it completes the sentence "… was imported twice: …".
 * @throws {Error} when the module was imported a second time.
 */
export function assertImportedOnce(module: Type, modules: ModulesContainer, advice: string): void {
  const instances = [...modules.values()].filter(({ metatype }) => metatype === module);
  if (instances.length > 1) throw new Error(`${module.name} was imported twice: ${advice}`);
}

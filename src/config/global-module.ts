import type { DynamicModule, Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/**
 * Makes a module's exports available to every module of the application that imports it. Guards and
 * interceptors of a host application's controllers find their providers this way, because Nest
 * resolves them from the module of the controller.
 */
export function globalModule(definition: DynamicModule): DynamicModule {
  return { ...definition, global: true };
}

/**
 * Checks that the application imports a global module once, with its options.
 *
 * @param advice what to change; it completes the sentence "… was imported twice: …".
 * @throws {Error} when the module was imported a second time, or when its class was imported without
 *   `forRoot` or `forRootAsync`, which Nest accepts although the class alone provides nothing.
 */
export function assertModuleImport(module: Type, modules: ModulesContainer, advice: string): void {
  const instances = [...modules.values()].filter(({ metatype }) => metatype === module);
  const { name } = module;
  if (instances.length > 1) throw new Error(`${name} was imported twice: ${advice}`);
  // The class alone exports nothing.
  if (instances.some(({ exports: exported }) => exported.size > 0)) return;
  throw new Error(`${name} was imported without options: import the result of ${name}.forRoot`);
}

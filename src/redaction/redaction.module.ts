import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { assertModuleImport, globalModule } from '../config/global-module.js';
import type { ModuleRegistration } from '../config/module-registration.js';
import { RouteDiscovery } from '../http/route-discovery.js';
import { CustomFieldRegistry } from './field.js';
import { REDACTION_RULES, RedactionRules } from './redaction-rules.js';
import { ResponseRedaction } from './response-redaction.js';

/**
 * Provides the redaction of responses by the type of the principal, and the boot check of its
 * rules.
 *
 * `DealSetsModule` contains it. An application without the two read endpoints imports it beside
 * `AuthModule`, for its own handlers with `@Redacted`. The module is then global.
 */
@Module({})
export class RedactionModule {
  /**
   * Checks that the application imports the module only once, as the result of `forRoot`.
   *
   * @throws {Error} when the application imports the module a second time, or without `forRoot`.
   */
  constructor(modules: ModulesContainer) {
    const advice = 'it is global and part of DealSetsModule, so import only one of the two, once';
    assertModuleImport(RedactionModule, modules, advice);
  }

  /**
   * Creates the module. It redacts by the declarations of the response classes, without custom
   * fields and rules.
   */
  static forRoot(): DynamicModule {
    const { providers = [], ...redaction } = registerRedaction({ imports: [DiscoveryModule] });
    const noRules = { provide: REDACTION_RULES, useValue: [] };
    return globalModule({
      ...redaction,
      providers: [...providers, RouteDiscovery, CustomFieldRegistry, noRules],
    });
  }
}

/** Registers `RedactionModule` as a part of `DealSetsModule`. */
export function registerRedaction({ imports }: ModuleRegistration): DynamicModule {
  return {
    module: RedactionModule,
    imports,
    providers: [RedactionRules, ResponseRedaction],
    exports: [RedactionRules, ResponseRedaction],
  };
}

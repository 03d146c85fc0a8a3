import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { RedactionRules } from './redaction-rules.js';
import { ResponseRedaction } from './response-redaction.js';

/**
 * Redaction of responses by the type of the principal: the interceptor's rules, and the boot check
 * of them.
 */
@Module({})
export class RedactionModule {
  static register({ imports }: ModuleRegistration): DynamicModule {
    return {
      module: RedactionModule,
      imports,
      providers: [RedactionRules, ResponseRedaction],
      exports: [RedactionRules, ResponseRedaction],
    };
  }
}

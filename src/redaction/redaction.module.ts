import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { RedactionInterceptor } from './redaction.interceptor.js';
import { RedactionRules } from './redaction-rules.js';
import { ResponseRedaction } from './response-redaction.js';

/** The redaction of responses by the type of the principal. */
@Module({})
export class RedactionModule {
  static register({ imports }: ModuleRegistration): DynamicModule {
    return {
      module: RedactionModule,
      imports,
      providers: [RedactionRules, ResponseRedaction, RedactionInterceptor],
      exports: [RedactionRules, ResponseRedaction, RedactionInterceptor],
    };
  }
}

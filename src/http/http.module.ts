import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { ContractFilter } from './errors/contract.filter.js';
import { DeadlineInterceptor } from './context/deadline.interceptor.js';
import { RequestContextService } from './context/request-context.service.js';
import { RequestLog } from './context/request-log.js';
import { RedactedResponses } from './redacted-responses.js';
import { SuccessHeadersInterceptor } from './context/success-headers.interceptor.js';

/**
 * Request contexts, the filter that sends the contract's errors, and the interceptors that do not
 * depend on the handler.
 */
@Module({})
export class HttpModule {
  static register({ imports }: ModuleRegistration): DynamicModule {
    return {
      module: HttpModule,
      imports,
      providers: [
        RequestContextService,
        RequestLog,
        ContractFilter,
        SuccessHeadersInterceptor,
        DeadlineInterceptor,
        RedactedResponses,
      ],
      exports: [
        RequestContextService,
        ContractFilter,
        SuccessHeadersInterceptor,
        DeadlineInterceptor,
      ],
    };
  }
}

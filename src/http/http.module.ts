import { Module } from '@nestjs/common';
import { ObservabilityModule } from '../observability/observability.module.js';
import { DeadlineInterceptor } from './context/deadline.interceptor.js';
import { RequestContextService } from './context/request-context.service.js';
import { RequestLog } from './context/request-log.js';
import { SuccessHeadersInterceptor } from './context/success-headers.interceptor.js';
import { EnvelopeFilter } from './errors/envelope.filter.js';
import { ErrorBodies } from './errors/error-bodies.js';

/**
 * Provides request contexts, the error filter, and the interceptors for the deadline and for
 * success headers.
 */
@Module({
  imports: [ObservabilityModule],
  providers: [
    RequestContextService,
    RequestLog,
    ErrorBodies,
    EnvelopeFilter,
    SuccessHeadersInterceptor,
    DeadlineInterceptor,
  ],
  exports: [
    RequestContextService,
    ErrorBodies,
    EnvelopeFilter,
    SuccessHeadersInterceptor,
    DeadlineInterceptor,
  ],
})
export class HttpModule {}

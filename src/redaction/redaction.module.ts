import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { RedactedResponses } from './redacted-responses.js';
import { RedactionInterceptor } from './redaction.interceptor.js';
import { ResponseRedaction } from './response-redaction.js';

/** The redaction of responses by the type of the principal. */
@Module({
  imports: [HttpModule],
  providers: [ResponseRedaction, RedactionInterceptor, RedactedResponses],
  exports: [ResponseRedaction, RedactionInterceptor],
})
export class RedactionModule {}

import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { LastRedactionCheck } from './net/last-redaction-check.js';
import { RedactionInterceptor } from './redaction.interceptor.js';
import { ResponseRedaction } from './response-redaction.js';

/** The redaction of responses by the type of the principal. */
@Module({
  imports: [HttpModule],
  providers: [ResponseRedaction, RedactionInterceptor, LastRedactionCheck],
  exports: [ResponseRedaction, RedactionInterceptor],
})
export class RedactionModule {}

import {
  Catch,
  HttpException,
  HttpStatus,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Formats the shop's own errors. It does not apply to endpoints with `@Endpoint`. */
@Catch()
export class ShopFilter implements ExceptionFilter {
  constructor(private readonly adapters: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const isKnown = exception instanceof HttpException;
    const status = isKnown ? exception.getStatus() : HttpStatus.INTERNAL_SERVER_ERROR;
    const problem = isKnown ? exception.getResponse() : 'failed';
    this.adapters.httpAdapter.reply(host.switchToHttp().getResponse(), { problem }, status);
  }
}

import {
  Catch,
  HttpException,
  Inject,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { AppError } from '@deal-sets/service';
import { failureText } from '@deal-sets/service/operations';
import { EnvelopeFilter } from '@deal-sets/service/standalone';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markup, sendPage } from './send-page.js';

interface ErrorText {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

const NOT_FOUND: ErrorText = {
  status: 404,
  title: 'Page not found',
  text: 'Nothing is served at this address.',
};
const FORBIDDEN: ErrorText = {
  status: 403,
  title: 'This request came from elsewhere',
  text: 'The demo only accepts requests from its own pages. Open it at the address that its terminal shows, and try again there. If another address is forwarded to this machine, start the demo with that address as PUBLIC_URL.',
};
const INVALID: ErrorText = {
  status: 400,
  title: 'This form cannot be used',
  text: 'It is incomplete or out of date. Go back and try again.',
};
const FAILED: ErrorText = {
  status: 500,
  title: 'That did not work',
  text: 'The demo’s terminal shows the reason. Try again; if it keeps failing, stop the demo, delete the folder .data and start it again.',
};

/**
 * Sends an error to a browser as a page with a link back, and to a program as the service's own
 * error response.
 */
@Catch()
export class PageErrorFilter implements ExceptionFilter {
  readonly #logger = new Logger('Demo');

  constructor(@Inject(EnvelopeFilter) private readonly contract: ExceptionFilter) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { headers } = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (!headers.accept?.includes('text/html') || reply.sent) {
      this.contract.catch(exception, host);
      return;
    }
    const { status, title, text } = errorText(exception);
    if (status >= 500) {
      this.#logger.error({ msg: 'demo page failed', reason: failureText(exception) });
    }
    sendPage(reply, { status, title, body: markup`<p>${text}</p>` });
  }
}

function errorText(exception: unknown): ErrorText {
  if (exception instanceof AppError) {
    if (exception.code === 'not_found') return NOT_FOUND;
    if (exception.code === 'forbidden') return FORBIDDEN;
    if (exception.code === 'invalid_request') return INVALID;
  }
  const isOfClient = exception instanceof HttpException && exception.getStatus() < 500;
  return isOfClient ? { ...INVALID, status: exception.getStatus() } : FAILED;
}

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { mergeMap, type Observable } from 'rxjs';
import { AppError } from '../kernel/app-error.js';
import { untilAborted } from '../kernel/time-limit.js';
import { UsageError } from '../kernel/usage-error.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { contextOf, type RequestContext } from './request-context.js';

/**
 * Waits for the first bytes of a file before the response begins, so that a file that cannot be
 * opened leads to an error response. The deadline applies until then. A failure after the first
 * bytes closes the connection and is logged.
 *
 * Any result other than a `StreamableFile` is rejected: the framework would also send streams,
 * generators and a `Response` of the Fetch standard, without a deadline or with a status of their
 * own.
 */
@Injectable()
export class OpenedFileInterceptor implements NestInterceptor {
  constructor(private readonly logger: ServiceLogger) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const context = contextOf(execution);
    return next.handle().pipe(mergeMap((result: unknown) => this.#open(result, context)));
  }

  async #open(result: unknown, context: RequestContext): Promise<StreamableFile> {
    const { id, route, deadline } = context;
    if (!(result instanceof StreamableFile)) {
      const advice = 'a handler that declares a binary response must return a StreamableFile';
      throw new AppError('internal', { cause: new UsageError(advice) });
    }
    const stream = result.getStream();
    await untilAborted(deadline.signal, untilReadable(stream), () => stream.destroy());
    stream.once('error', (error) => {
      this.logger.error({ msg: 'file failed while it was sent', id, route, ...errorFields(error) });
    });
    context.openedFile = result;
    return result;
  }
}

/**
 * Waits until a stream has data or has ended.
 *
 * @throws the error of a stream that fails before it has data; a `UsageError` for a stream that was
 *   destroyed without an error.
 */
async function untilReadable(stream: Readable): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (stream.readableLength > 0 || stream.readableEnded) return;
  if (stream.destroyed) throw destroyedError();
  const first = new AbortController();
  const { signal } = first;
  const closed = once(stream, 'close', { signal }).then(() => {
    throw destroyedError();
  });
  const events = [once(stream, 'readable', { signal }), once(stream, 'end', { signal }), closed];
  await Promise.race(events).finally(() => first.abort());
}

const destroyedError = (): UsageError =>
  new UsageError('the stream of a file was destroyed before its first byte');

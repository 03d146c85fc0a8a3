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
import { untilAborted } from '../kernel/time-limit.js';
import { contextOf } from './request-context.js';

/**
 * Waits for the first bytes of a file before the response begins, so that a file that cannot be
 * opened leads to an error response. The deadline applies until then.
 */
@Injectable()
export class OpenedFileInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { signal } = contextOf(execution).deadline;
    const open = async (result: unknown): Promise<unknown> => {
      if (result instanceof StreamableFile) {
        const stream = result.getStream();
        await untilAborted(signal, untilReadable(stream), () => stream.destroy());
      }
      return result;
    };
    return next.handle().pipe(mergeMap(open));
  }
}

/**
 * Waits until a stream has data or has ended.
 *
 * @throws the error of a stream that fails before it has data.
 */
async function untilReadable(stream: Readable): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (stream.readableLength > 0 || stream.readableEnded) return;
  const first = new AbortController();
  const { signal } = first;
  const events = [once(stream, 'readable', { signal }), once(stream, 'end', { signal })];
  await Promise.race(events).finally(() => first.abort());
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  BadRequestException,
  Injectable,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { untilAborted } from '../kernel/time-limit.js';
import { contextOf, rawHttp } from './request-context.js';

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 64 * 1024;

const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

/**
 * Reads the JSON body of an endpoint that declares one, after the guards: a caller that is refused sends
 * its body in vain. `@Endpoint({ body })` puts it on the handler; no other handler's body is read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<{ body?: unknown }>();
    // The parser of a host application has read it.
    if (request.body !== undefined) return next.handle();
    const { signal, rateLimitRefusal } = contextOf(context);
    const raw = rawHttp(context);
    try {
      const bytes = await untilAborted(signal, readBody(raw.request, raw.response, signal));
      request.body = parseJson(bytes);
    } catch (error) {
      // The limit comes before the body; where the handler was to send it, it never runs.
      throw rateLimitRefusal ?? error;
    }
    return next.handle();
  }
}

function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<Buffer> {
  const {
    'content-type': type,
    'content-encoding': encoding,
    'content-length': length,
  } = request.headers;
  if (!JSON_TYPE.test(type ?? '') || (encoding !== undefined && encoding !== 'identity')) {
    throw new UnsupportedMediaTypeException();
  }
  if (Number(length ?? 0) > BODY_LIMIT) throw new PayloadTooLargeException();
  if (request.headers.expect !== undefined) response.writeContinue();

  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    signal.addEventListener('abort', stop, { once: true });
    function stop(): void {
      signal.removeEventListener('abort', stop);
      request.off('data', onData).off('end', onEnd).off('error', onFailure).off('close', onFailure);
      // What still arrives is discarded.
      request.resume();
    }
    function onData(chunk: Buffer): void {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= BODY_LIMIT) return;
      stop();
      reject(new PayloadTooLargeException());
    }
    function onEnd(): void {
      stop();
      resolve(Buffer.concat(chunks));
    }
    /** The client left; no response reaches it. */
    function onFailure(): void {
      stop();
      reject(signal.aborted ? (signal.reason as Error) : new BadRequestException());
    }
    request.on('data', onData).on('end', onEnd).on('error', onFailure).on('close', onFailure);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new BadRequestException(undefined, { cause });
  }
  if (!isPlain(value)) throw new BadRequestException();
  return value;
}

/** Deeper than any DTO; what copies a body by recursion fails some hundred levels later. */
const MAX_DEPTH = 64;

/** Copied to a plain object, the one is its prototype and the other what made it, for class-transformer. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === MAX_DEPTH) return false;
  return Object.entries(value).every(
    ([key, item]) => !UNSAFE_KEYS.has(key) && isPlain(item, depth + 1),
  );
}

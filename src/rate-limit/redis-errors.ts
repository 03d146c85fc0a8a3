import { ReplyError } from 'ioredis-6';
import { ExternalError } from '../kernel/external-error.js';

/** The word of an error about a server that does not send replies of Redis. */
export const NOT_REDIS = 'not_redis';

/** How ioredis 6 and ioredis 5 begin the message about bytes that are not a reply of Redis. */
const NOT_A_REPLY = /^(Unknown RESP type|Protocol error, got) /;
/** Redis begins each of its errors with a code in capital letters. */
const CODE = /^[A-Z]{2,20}(?= |$)/;

/**
 * Returns an error that can be logged in place of one of ioredis, whose message can contain keys,
 * user names or what another kind of server sent. The error of a connection is returned as it is.
 */
export function loggableError(error: Error): Error {
  if (error instanceof ReplyError) {
    return new ExternalError(CODE.exec(error.message)?.[0] ?? 'other', { cause: error });
  }
  return NOT_A_REPLY.test(error.message) ? new ExternalError(NOT_REDIS, { cause: error }) : error;
}

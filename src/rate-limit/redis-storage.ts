import { hash } from 'node:crypto';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis-6';
import { ExternalError } from '../kernel/external-error.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TIME_LIMITS, type TimeLimits } from '../kernel/time-limits.js';
import { RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';
import { loggableError, NOT_REDIS } from './redis-errors.js';
import { throttlerRecord } from './throttler-record.js';

/**
 * Counts one hit in the sliding log, which is a list of times, oldest first, in microseconds of the
 * clock of Redis, which all instances share. A rejected hit is not written. Times within a list
 * never decrease, even if the clock is set back.
 *
 * KEYS[1] is the list, ARGV[1] the window in microseconds, and ARGV[2] the limit.
 * The list expires a millisecond after the window of its newest hit, because expiry uses a coarser
 * clock than the hits.
 * Returns 1 if the hit is admitted, otherwise 0; the number of hits in the window; and the time to
 * wait in microseconds.
 */
const ADMIT_HIT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local window = tonumber(ARGV[1])
local newest = tonumber(redis.call('LINDEX', KEYS[1], -1) or '0')
if newest > now then now = newest end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local hits = redis.call('LLEN', KEYS[1])
if hits >= tonumber(ARGV[2]) then
  local blocking = redis.call('LINDEX', KEYS[1], hits - tonumber(ARGV[2]))
  return {0, hits, tonumber(blocking) + window - now}
end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + 1)
return {1, hits + 1, 0}
`;

const CONNECTION_OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // The ready check sends INFO. If the user lacks the permission, ioredis prints a line.
  enableReadyCheck: false,
  // After a malformed reply to CLIENT SETINFO, ioredis 5 would never connect again.
  disableClientInfo: true,
  retryStrategy: (attempt) => Math.min(attempt * 50, 1000),
  // The script's replies are read as numbers, even if the application's client returns text.
  stringNumbers: false,
  // The commands need nothing of RESP3. The other mapping of replies would require it.
  protocol: 2,
  replyMapping: 'legacy',
  // After a failover, the old primary returns this error. Only a new connection reaches the new
  // primary.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
};

/** The result of `ADMIT_HIT`: whether the hit is admitted, the hits, and the wait. */
type HitReply = readonly [number, number, number];

interface AdmitHit {
  admitHit(key: string, windowMicros: number, limit: number): Promise<unknown>;
}

/**
 * What `RedisStorage` uses of the connections of ioredis, which are the same in the versions 5 and
 * 6. The types of the two versions do not accept each other.
 */
export interface RedisConnection {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  defineCommand(name: string, definition: { numberOfKeys: number; lua: string }): void;
  connect(): Promise<void>;
  ping(): Promise<string>;
  info(section: string): Promise<string>;
  disconnect(): void;
}

/** A client of ioredis, version 5 or 6, that an application already has. */
export interface RedisClient {
  duplicate(override: { readonly enableOfflineQueue?: boolean }): RedisConnection;
}

/**
 * Rate-limit counters that several instances share through one Redis server. The client does not
 * follow the redirects of a Redis cluster. Each hit runs as one script, so the count is exact under
 * any number of parallel calls. `increment` rejects when Redis does not reply, and never queues a
 * call until a connection is open.
 *
 * It also works as the storage of a host application's own `ThrottlerModule`, with two differences:
 * `blockDuration` has no effect, and there is no fallback, so the host application's routes respond
 * with 500 while Redis cannot be reached.
 */
export class RedisStorage extends RateLimitStorage implements OnModuleInit, OnApplicationShutdown {
  readonly #redis: RedisConnection & AdmitHit;
  readonly #connectionMs: number;
  /** The error that explains why there is no connection; undefined while there is one. */
  #connectionError: Error | undefined;

  /**
   * @param server the address of the server, or a client of ioredis that the application already
   *   has. The storage opens a connection of its own with the address, the TLS options and the key
   *   prefix of the client, because its time limits differ from those of other commands.
   */
  constructor(server: string | RedisClient);
  /** @internal */
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- the limits are not public
  constructor(server: string | RedisClient, limits: TimeLimits);
  constructor(server: string | RedisClient, limits: TimeLimits = TIME_LIMITS) {
    super();
    const { redisConnectionMs, redisSocketMs } = limits;
    this.#connectionMs = redisConnectionMs;
    const options: RedisOptions = {
      ...CONNECTION_OPTIONS,
      connectTimeout: redisSocketMs,
      socketTimeout: redisSocketMs,
    };
    const redis: RedisConnection =
      typeof server === 'string' ? new Redis(server, options) : server.duplicate(options);
    // Without a listener, a lost connection would end the process; the calls themselves reject.
    redis.on('error', (error: Error) => (this.#connectionError = loggableError(error)));
    redis.on('ready', () => (this.#connectionError = undefined));
    redis.defineCommand('admitHit', { numberOfKeys: 1, lua: ADMIT_HIT });
    this.#redis = redis as RedisConnection & AdmitHit;
  }

  async onModuleInit(): Promise<void> {
    const connected = withTimeLimit(this.#connectionMs, undefined, () => this.#redis.connect());
    // The listener may already have recorded the reason; this error only says that the connection
    // took too long.
    await connected.catch((error: unknown) => (this.#connectionError ??= error as Error));
  }

  /**
   * Makes the server reply to PING.
   *
   * @returns whether the server is a node of a cluster. It then rejects the keys of the other
   *   nodes, so that callers with such a key are counted in each process.
   * @throws {ExternalError} with the code of an error that Redis sent, or `not_redis` if another
   *   kind of server responds; otherwise the error of the connection.
   */
  async check(): Promise<{ readonly isClusterNode: boolean }> {
    const reply = await this.#replyTo(this.#redis.ping());
    if (reply !== 'PONG') throw new ExternalError(NOT_REDIS);
    // The user may lack the permission for INFO. Only MOVED in the log then reveals a cluster.
    const info = await this.#redis.info('cluster').catch(() => '');
    return { isClusterNode: /^cluster_enabled:1\r?$/m.test(info) };
  }

  /** Runs late in the shutdown, after the last responses. */
  onApplicationShutdown(): void {
    this.#redis.disconnect();
  }

  override async increment(key: string, ttlMs: number, limit: number): Promise<ThrottlerRecord> {
    // Hashed, so that Redis stores no buyer's id.
    const list = `deal-sets:rate:{${hash('sha256', key, 'base64url')}}`;
    const reply = await this.#replyTo(this.#redis.admitHit(list, ttlMs * 1000, limit));
    if (!isHitReply(reply)) throw new ExternalError(NOT_REDIS);
    const [admitted, hits, waitMicros] = reply;
    const isBlocked = admitted !== 1;
    const totalHits = isBlocked ? hits + 1 : hits;
    return throttlerRecord({ isBlocked, totalHits, waitMs: waitMicros / 1000 }, ttlMs);
  }

  /** Settles as the call does, but rejects with the error that explains why it failed. */
  async #replyTo(call: Promise<unknown>): Promise<unknown> {
    try {
      return await call;
    } catch (error) {
      const loggable = loggableError(error as Error);
      if (loggable instanceof ExternalError) throw loggable;
      // Without a connection, the client's own error only reports that there is none.
      throw this.#connectionError ?? loggable;
    }
  }
}

function isHitReply(reply: unknown): reply is HitReply {
  return Array.isArray(reply) && reply.length === 3 && reply.every(Number.isSafeInteger);
}

import { Controller, Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { DatabaseHealth, type DatabaseState } from '../database/database-health.js';
import { Public } from '../endpoint/endpoint-policy.js';
import { NOT_LOGGED } from './server-hooks.js';
import { ServerShutdown } from './server-shutdown.js';

/** The body of a health probe's response. */
export interface HealthResponse {
  readonly status: 'ok' | 'unavailable';
  /** Why the service is not ready; absent when it is. */
  readonly reason?: 'stopping' | NonNullable<DatabaseState['reason']>;
  /** Present until `deal-sets rebuild` has run: stored rows were computed by earlier rules. */
  readonly pending?: 'rebuild';
}

/**
 * Health probes for load balancers and orchestrators. They need no credentials and reveal nothing
 * about the data.
 */
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DatabaseHealth,
    private readonly shutdown: ServerShutdown,
  ) {}

  /** Responds 200 while the process runs. Restart only a process that does not respond. */
  @Get('live')
  @Public()
  @RouteConfig(NOT_LOGGED)
  live(): HealthResponse {
    return { status: 'ok' };
  }

  /**
   * Responds 200 while the service is ready, and 503 otherwise. On 503, stop sending requests to
   * the process, but do not restart it.
   */
  @Get('ready')
  @Public()
  @RouteConfig(NOT_LOGGED)
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthResponse> {
    const state = await this.database.check();
    const reason = this.shutdown.isStopping ? 'stopping' : state.reason;
    if (reason === undefined) {
      return state.needsRebuild ? { status: 'ok', pending: 'rebuild' } : { status: 'ok' };
    }
    void reply.status(503);
    return { status: 'unavailable', reason };
  }
}

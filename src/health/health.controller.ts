import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DatabaseHealth, type DatabaseState } from '../database/database-health.js';
import { Public } from '../endpoint/endpoint-policy.js';
import { HttpServerLifecycle } from '../http/http-server-lifecycle.js';

export interface HealthResponse {
  readonly status: 'ok' | 'unavailable';
  /** Why the service is not ready; absent when it is. */
  readonly reason?: 'stopping' | NonNullable<DatabaseState['reason']>;
  /** Rows are those of earlier rules until `deal-sets rebuild` has run. */
  readonly pending?: 'rebuild';
}

/** For load balancers and orchestrators; needs no credentials and says nothing of the data. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DatabaseHealth,
    private readonly entrance: HttpServerLifecycle,
  ) {}

  /** 200 while the process runs: restart only a process that does not respond here. */
  @Get('live')
  @Public()
  live(): HealthResponse {
    return { status: 'ok' };
  }

  /** 200 while the service is ready, else 503: route no requests to it, but do not restart it. */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthResponse> {
    const state = await this.database.check();
    const reason = this.entrance.isStopping ? 'stopping' : state.reason;
    if (reason === undefined) {
      return state.needsRebuild ? { status: 'ok', pending: 'rebuild' } : { status: 'ok' };
    }
    void reply.status(503);
    return { status: 'unavailable', reason };
  }
}

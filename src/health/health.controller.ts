import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseHealth } from '../database/database-health.js';
import { Public } from '../http/endpoint.decorator.js';
import { Edge } from '../http/edge.js';

/** Whether the process runs, and whether it can answer. */
export interface HealthAnswer {
  readonly status: 'ok' | 'unavailable';
  /** What keeps the service from answering; only when it cannot. */
  readonly reason?: 'stopping' | 'database_unreachable' | 'migrations_pending';
}

const UNREACHABLE = { reachable: false, migrated: false };

/** For load balancers and orchestrators; needs no credentials and says nothing of the data. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DatabaseHealth,
    private readonly edge: Edge,
  ) {}

  /** 200 while the process runs: only a process that does not answer here is to be restarted. */
  @Get('live')
  @Public()
  live(): HealthAnswer {
    return { status: 'ok' };
  }

  /** 200 while requests can be answered, else 503: send it none until then, but let it live. */
  @Get('ready')
  @Public()
  async ready(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthAnswer> {
    const reason = await this.#reasonNotToAnswer(request);
    if (reason === undefined) return { status: 'ok' };
    void reply.status(503);
    return { status: 'unavailable', reason };
  }

  async #reasonNotToAnswer(request: FastifyRequest): Promise<HealthAnswer['reason']> {
    if (this.edge.isStopping) return 'stopping';
    const state = await request.raw.context.deadline
      .race(this.database.check())
      .catch(() => UNREACHABLE);
    if (!state.reachable) return 'database_unreachable';
    return state.migrated ? undefined : 'migrations_pending';
  }
}

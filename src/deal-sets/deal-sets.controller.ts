import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../auth/access.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE, type Principal } from '../kernel/principal.js';
import { DealSetsService } from './deal-sets.service.js';
import { sinceOf } from './list-query.js';
import { Answers } from './redaction/answers.decorator.js';
import { RedactionInterceptor } from './redaction/redaction.interceptor.js';
import { DealSetAnswer, ListAnswer } from './wire/answers.js';

/** The two read endpoints (contract, section 4). */
@Controller('api/v1/deal-sets')
@UseInterceptors(RedactionInterceptor)
export class DealSetsController {
  constructor(private readonly dealSets: DealSetsService) {}

  @Get()
  @Access({ endpoint: 'list', scope: READ_SCOPE, rateClass: 'read' })
  @Answers(ListAnswer)
  async list(
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ListAnswer> {
    const { deadline } = raw.context;
    const principal = principalOf(raw.context);
    const sinceMs = sinceOf(raw.url ?? '');
    const reading =
      sinceMs === null
        ? await this.dealSets.listActive(principal, deadline)
        : await this.dealSets.listChangedSince(principal, sinceMs, deadline);
    void reply.header('Service-More', String(reading.hasMore));
    if (reading.asOf !== null) void reply.header('Service-As-Of', reading.asOf);
    return reading.answer;
  }

  @Get(':id')
  @Access({ endpoint: 'get', scope: READ_SCOPE, rateClass: 'read' })
  @Answers(DealSetAnswer)
  get(@Req() { raw }: FastifyRequest, @Param('id') id: string): Promise<DealSetAnswer> {
    return this.dealSets.get(principalOf(raw.context), id, raw.context.deadline);
  }
}

/** The guards let nobody in without a principal; should one ever, nothing is read. */
function principalOf({ principal }: { readonly principal?: Principal }): Principal {
  if (!principal) throw new AppError('internal');
  return principal;
}

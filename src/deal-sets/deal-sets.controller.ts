import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal } from '../http/current-principal.decorator.js';
import { Endpoint } from '../http/endpoint.decorator.js';
import { IdPipe } from '../http/id.pipe.js';
import { RequestDeadline } from '../http/request-deadline.decorator.js';
import type { Deadline } from '../kernel/deadline.js';
import { parseIsoTime } from '../kernel/iso-time.js';
import { READ_SCOPE, type Principal } from '../kernel/principal.js';
import { DealSetsService } from './deal-sets.service.js';
import { GET_DOCUMENTATION, LIST_DOCUMENTATION } from './documentation.js';
import { DealSetAnswer, ListAnswer } from './dto/answers.js';
import { ListQueryDto } from './dto/list-query.dto.js';

/** The two read endpoints (contract, section 4). */
@Controller('api/v1/deal-sets')
export class DealSetsController {
  constructor(private readonly dealSets: DealSetsService) {}

  @Get()
  @Endpoint({
    flag: 'list',
    scope: READ_SCOPE,
    rateClass: 'read',
    response: ListAnswer,
    errors: ['invalid_request'],
    summary: 'List the buyer’s requests',
    description:
      'Without `since`: the active requests, at most 12 deal sets and the 25 newest requests to one dealership. With `since`: the requests that changed after that time, ended requests included, oldest change first. To read everything, begin at `1970-01-01T00:00:00Z` and repeat with the `Service-As-Of` just received until `Service-More` is `false`; keep one entry per kind and id, since an entry can come twice.',
    documentation: LIST_DOCUMENTATION,
  })
  async listDealSets(
    @CurrentPrincipal() principal: Principal,
    @Query() { since }: ListQueryDto,
    @RequestDeadline() deadline: Deadline,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ListAnswer> {
    const sinceMs = since === undefined ? null : parseIsoTime(since);
    const reading =
      sinceMs === null
        ? await this.dealSets.listActive(principal, deadline)
        : await this.dealSets.listChangedSince(principal, sinceMs, deadline);
    void reply.header('Service-More', String(reading.hasMore));
    if (reading.asOf !== null) void reply.header('Service-As-Of', reading.asOf);
    return reading.answer;
  }

  @Get(':id')
  @Endpoint({
    flag: 'get',
    scope: READ_SCOPE,
    rateClass: 'read',
    response: DealSetAnswer,
    summary: 'Read one deal set',
    description: 'The ranked results of one deal set.',
    documentation: GET_DOCUMENTATION,
  })
  getDealSet(
    @CurrentPrincipal() principal: Principal,
    @Param('id', new IdPipe('A `dealSetId`. Anything else is not found.')) id: string,
    @RequestDeadline() deadline: Deadline,
  ): Promise<DealSetAnswer> {
    return this.dealSets.get(principal, id, deadline);
  }
}

import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentPrincipal, RequestDeadline, ResponseHeaders } from '../http/handler-parameters.js';
import { Endpoint } from '../http/endpoint.decorator.js';
import { IdPipe } from '../http/id.pipe.js';
import type { Deadline } from '../kernel/deadline.js';
import { parseIsoTime } from '../kernel/iso-time.js';
import type { Principal } from '../kernel/principal.js';
import { DealSetsService } from './deal-sets.service.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';
import { ListQueryDto } from './dto/list-query.dto.js';
import { GET_ENDPOINT, LIST_ENDPOINT } from './endpoints.js';

/** The two read endpoints (contract, section 4). */
@Controller('api/v1/deal-sets')
export class DealSetsController {
  constructor(private readonly dealSets: DealSetsService) {}

  @Get()
  @Endpoint(LIST_ENDPOINT)
  async listDealSets(
    @CurrentPrincipal() principal: Principal,
    @Query() { since }: ListQueryDto,
    @RequestDeadline() deadline: Deadline,
    @ResponseHeaders() headers: Record<string, string>,
  ): Promise<ListResponse> {
    const sinceMs = since === undefined ? null : parseIsoTime(since);
    const result =
      sinceMs === null
        ? await this.dealSets.listActive(principal, deadline)
        : await this.dealSets.listChangedSince(principal, sinceMs, deadline);
    headers['Service-More'] = String(result.hasMore);
    if (result.asOf !== null) headers['Service-As-Of'] = result.asOf;
    return result.response;
  }

  @Get(':id')
  @Endpoint(GET_ENDPOINT)
  getDealSet(
    @CurrentPrincipal() principal: Principal,
    @Param('id', new IdPipe('A `dealSetId`. Anything else is not found.')) id: string,
    @RequestDeadline() deadline: Deadline,
  ): Promise<DealSetResponse> {
    return this.dealSets.get(principal, id, deadline);
  }
}

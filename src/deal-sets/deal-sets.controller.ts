import { Controller, Get, Param, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExtension, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import {
  CurrentPrincipal,
  RequestDeadline,
  ResponseHeaders,
} from '../http/context/request-parameters.js';
import { ContractEndpoint } from '../endpoint/endpoint.decorator.js';
import type { Deadline } from '../kernel/deadline.js';
import { formatIsoTime } from '../kernel/iso-time.js';
import type { Principal } from '../kernel/principal.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';
import { ListQuery, ListQueryDto } from './dto/list-query.dto.js';
import { GET_ENDPOINT, LIST_ENDPOINT } from './deal-sets.endpoints.js';
import { DealSetsService } from './deal-sets.service.js';

/**
 * The two read endpoints (contract, section 4). They keep their paths in a host application with
 * versioning, and send only the statuses of the contract.
 */
@ApiTags('Deal sets')
@Controller({ path: 'api/v1/deal-sets', version: VERSION_NEUTRAL })
export class DealSetsController {
  constructor(private readonly dealSets: DealSetsService) {}

  @Get()
  @ApiQuery({ type: ListQueryDto })
  @ApiExtension('x-list-bounds', { maxItems: 4, itemDeadlineMs: 4000 })
  @ContractEndpoint(LIST_ENDPOINT)
  async listDealSets(
    @CurrentPrincipal() principal: Principal,
    @ListQuery() { since }: ListQueryDto,
    @RequestDeadline() deadline: Deadline,
    @ResponseHeaders() headers: Record<string, string>,
  ): Promise<ListResponse> {
    const call = { sinceMs: since };
    const { response, hasMore, asOfMs } = await this.dealSets.list(principal, call, deadline);
    headers['Service-More'] = String(hasMore);
    if (asOfMs !== null) headers['Service-As-Of'] = formatIsoTime(asOfMs);
    return response;
  }

  @Get(':id')
  @ApiParam({
    name: 'id',
    description: 'A `dealSetId`. Any other value results in 404.',
    schema: { type: 'string', format: 'uuid' },
  })
  @ContractEndpoint(GET_ENDPOINT)
  getDealSet(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @RequestDeadline() deadline: Deadline,
  ): Promise<DealSetResponse> {
    return this.dealSets.get(principal, id, deadline);
  }
}

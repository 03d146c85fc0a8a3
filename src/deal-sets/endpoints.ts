import type { EndpointPolicy } from '../http/endpoint-policy.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { GET_DOCUMENTATION, LIST_DOCUMENTATION } from './documentation.js';
import { ListQueryDto } from './dto/list-query.dto.js';
import { DealSetResponse, ListResponse } from './dto/responses.js';

/** The declarations of the two read endpoints (contract, section 4), for the routes and `DealSetsApi`. */

export const LIST_ENDPOINT = {
  flag: 'list',
  scope: READ_SCOPE,
  rateClass: 'read',
  response: ListResponse,
  query: ListQueryDto,
  errors: ['invalid_request'],
  summary: 'List the buyer’s requests',
  description:
    'Without `since`: the active requests, at most 12 deal sets and the 25 newest requests to one dealership. With `since`: the requests that changed after that time, ended requests included, oldest change first. To read everything, begin at `1970-01-01T00:00:00Z` and repeat with the `Service-As-Of` just received until `Service-More` is `false`; keep one entry per kind and id, since an entry can come twice.',
  documentation: LIST_DOCUMENTATION,
} satisfies EndpointPolicy;

export const GET_ENDPOINT = {
  flag: 'get',
  scope: READ_SCOPE,
  rateClass: 'read',
  response: DealSetResponse,
  summary: 'Read one deal set',
  description: 'The ranked results of one deal set.',
  documentation: GET_DOCUMENTATION,
} satisfies EndpointPolicy;

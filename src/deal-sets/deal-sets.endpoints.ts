import type { EndpointPolicy } from '../endpoint/endpoint-policy.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { DealSetResponse, ListResponse } from './dto/responses.js';
import { dealSetExample, listExample } from './views/examples.js';

// This file declares the two read endpoints (contract, section 4) for the routes and `DealSetsApi`.

const LIST = '/api/v1/deal-sets';

/**
 * The paths of the two reads, which the contract fixes. A host application with a global prefix
 * excludes them: `app.setGlobalPrefix('shop', { exclude: [...DEAL_SETS_ROUTES] })`.
 */
export const DEAL_SETS_ROUTES: readonly string[] = [LIST, `${LIST}/:id`];

const HOW_TO_POLL = [
  'This is a poll. The service sends no notifications; a call every few seconds is within the rate limit.',
  'To read everything, begin with `since=1970-01-01T00:00:00Z`. To receive only later changes, begin with the `Service-As-Of` of any `since` call.',
  'Pass the `Service-As-Of` just received as the next `since`. While `Service-More` is `true`, call again at once; when it is `false`, wait and call again.',
  'Save `Service-As-Of` after you have handled the page, not before. A client that stops in between then reads the page again and loses nothing.',
  'A `since` never expires: it is a plain time.',
  'An entry can be returned more than once, but is never skipped. Keep one entry for each `kind` and id (`dealSetId` of a deal set, `id` of a single request); a later entry replaces an earlier one.',
  'A request that ends is not removed: it is returned once more, with `section` `inactive`. You do not have to delete anything, except when a buyer’s data is erased.',
  'A plain call, without `since`, returns active requests only. Its `Service-More` is `true` when an active request was left out.',
  'After `could_not_check` on the last page, `Service-As-Of` repeats your own `since`, so that the next poll returns the same entries with their replies.',
  '`changes.newReplies` counts the replies that arrived after the `since` of the same call. A poll of one page counts every new reply. A poll of several pages can miss one: if a request gets a reply and then changes again, it can be on a later page, whose `since` is after the reply. A page has 100 entries, so poll often enough that one page suffices.',
  'Skip entries of an unknown `kind`, and ignore unknown fields.',
  'After 429, and after 503 with `Retry-After`, wait that many seconds; otherwise back off. `auth_unverifiable` does not mean that the credential is invalid: keep it.',
]
  .map((rule, index) => `${index + 1}. ${rule}`)
  .join('\n');

/**
 * The declaration of `GET /api/v1/deal-sets`, for the route, `DealSetsApi` and the API description.
 */
export const LIST_ENDPOINT = {
  flag: 'list',
  scope: READ_SCOPE,
  rateClass: 'read',
  response: ListResponse,
  errors: ['invalid_request'],
  summary: 'List the buyer’s requests',
  description: `Without \`since\`: the active requests, at most 12 deal sets and the 25 newest requests to one dealership. With \`since\`: the requests that changed after that time, ended requests included, oldest change first. To read everything, begin at \`1970-01-01T00:00:00Z\` and repeat with the \`Service-As-Of\` just received until \`Service-More\` is \`false\`; keep one entry for each kind and id, because an entry can be returned more than once.\n\n**How to poll**\n\n${HOW_TO_POLL}`,
  documentation: {
    responseDescription: 'The requests.',
    responseHeaders: {
      'Service-As-Of': {
        description:
          'Only with `since`: the time to pass as `since` on the next call. While `Service-More` is `true`, it is the time of the last change on the page. Otherwise, it is slightly before the time of the read, with two exceptions. If an entry of this last page has `could_not_check`, it repeats your `since`. On a read replica, and while a change to the buyer’s requests is being committed, it is the time of the newest change that the read saw, or `since` if that is later. If `since` is in the future, it is then the time of the newest change, or 1970 for a buyer without requests.',
        schema: { type: 'string', format: 'date-time' },
      },
      'Service-More': {
        description:
          'Whether requests were left out: active requests on a plain call, changed requests with `since`.',
        schema: { type: 'string', enum: ['true', 'false'] },
        required: true,
      },
    },
    example: listExample,
    invalidReason: 'since_malformed',
  },
} satisfies EndpointPolicy;

/**
 * The declaration of `GET /api/v1/deal-sets/{id}`, for the route, `DealSetsApi` and the API
 * description.
 */
export const GET_ENDPOINT = {
  flag: 'get',
  scope: READ_SCOPE,
  rateClass: 'read',
  response: DealSetResponse,
  summary: 'Read one deal set',
  description: 'The ranked results of one deal set.',
  documentation: { responseDescription: 'The deal set.', example: dealSetExample },
} satisfies EndpointPolicy;

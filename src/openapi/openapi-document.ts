import type { Settings } from '../config/settings.js';
import type { JsonSchema } from '../deal-sets/wire/field.js';
import { ANSWERS } from '../deal-sets/wire/answers.js';
import { API_REVISION } from '../http/contract-headers.js';
import { READ_SCOPE } from '../kernel/principal.js';
import {
  ERROR_RESPONSES,
  ERROR_SCHEMAS,
  errorResponses,
  header,
  HEADERS,
  INVALID_SINCE,
  success,
} from './documented-answers.js';
import { dealSetExample, listExample } from './examples.js';
import { wireSchemas } from './wire-schema.js';

/** The API described in OpenAPI 3.1, made from the declarations that the answers are written by. */
export function openApiDocument(settings: Settings): JsonSchema {
  const { limit, windowSeconds } = settings.readRate;
  // OpenAPI declares scopes with a flow: without one a requirement cannot name them.
  const scopes = settings.authorizationEndpoints ? [READ_SCOPE] : [];
  const security = [{ oauth: scopes }, { session: [] }];
  const shared = {
    tags: ['Deal sets'],
    security,
    'x-required-scope': READ_SCOPE,
    'x-rate-class': { name: 'read', requests: limit, seconds: windowSeconds, per: 'principal' },
    'x-deadline-ms': settings.requestDeadlineMs,
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deal Sets',
      version: API_REVISION,
      description:
        'A car buyer’s price requests to dealerships and the ranked prices that came back. Read by the buyer’s own website session, and by assistants she approved, who see a description of the car where she may see a dealership’s name. Clients ignore fields and kinds they do not know, and branch on structure, not on display text.',
      license: { name: 'Proprietary', url: 'https://example.com/' },
    },
    servers: [{ url: '/' }],
    tags: [{ name: 'Deal sets', description: 'Requests for prices, and what came back.' }],
    paths: {
      '/api/v1/deal-sets': {
        get: {
          ...shared,
          operationId: 'listDealSets',
          summary: 'List the buyer’s requests',
          description:
            'Without `since`: the active requests, at most 12 deal sets and the 25 newest requests to one dealership. With `since`: the requests that changed after that time, ended requests included, oldest change first. To read everything, begin at `1970-01-01T00:00:00Z` and repeat with the `Service-As-Of` just received until `Service-More` is `false`; keep one entry per kind and id, since an entry can come twice.',
          'x-list-bounds': { maxItems: 4, itemDeadlineMs: 4000 },
          parameters: [
            {
              name: 'since',
              in: 'query',
              required: false,
              description: 'Only requests with activity after this time. Escape a `+` as `%2B`.',
              schema: { type: 'string', format: 'date-time' },
              example: '2026-10-14T16:00:00Z',
            },
          ],
          responses: {
            '200': success('ListAnswer', 'The requests.', listExample, {
              'Service-As-Of': header('Service-As-Of'),
              'Service-More': header('Service-More'),
            }),
            ...errorResponses([INVALID_SINCE, ...ERROR_RESPONSES]),
          },
        },
      },
      '/api/v1/deal-sets/{id}': {
        get: {
          ...shared,
          operationId: 'getDealSet',
          summary: 'Read one deal set',
          description: 'The ranked results of one deal set.',
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              description: 'A `dealSetId`. Anything else is not found.',
              schema: { type: 'string', format: 'uuid' },
            },
          ],
          responses: {
            '200': success('DealSetAnswer', 'The deal set.', dealSetExample, {}),
            ...errorResponses(ERROR_RESPONSES),
          },
        },
      },
    },
    components: {
      schemas: { ...wireSchemas(ANSWERS), ...ERROR_SCHEMAS },
      headers: HEADERS,
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          description: 'An access token that the buyer gave to an assistant she approved.',
          // No address is invented: without settings no flow is described.
          flows: settings.authorizationEndpoints
            ? {
                authorizationCode: {
                  ...settings.authorizationEndpoints,
                  scopes: {
                    [READ_SCOPE]: 'Read the buyer’s requests and the prices that came back.',
                  },
                },
              }
            : {},
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: settings.sessionCookie,
          description: 'The buyer’s own signed-in website session.',
        },
      },
    },
  };
}

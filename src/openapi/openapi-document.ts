import type { Settings } from '../config/settings.js';
import type { JsonSchema } from '../deal-sets/wire/field.js';
import { ANSWERS } from '../deal-sets/wire/answers.js';
import { API_REVISION } from '../http/contract-headers.js';
import { ERROR_CATALOGUE } from '../http/error-catalogue.js';
import type { ErrorCode } from '../kernel/app-error.js';
import { READ_SCOPE, type PrincipalType } from '../kernel/principal.js';
import { dealSetExample, listExample } from './examples.js';
import { wireSchemas } from './wire-schema.js';

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });
const EVERY_ANSWER = {
  'Cache-Control': header('Cache-Control'),
  'Service-API-Version': header('Service-API-Version'),
  'Service-Request-Id': header('Service-Request-Id'),
};

/** What happens before each code, in the words of the reader of the description. */
const ERROR_RESPONSES: readonly {
  readonly status: string;
  readonly codes: readonly ErrorCode[];
  readonly description: string;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
}[] = [
  {
    status: '401',
    codes: ['unauthenticated'],
    description:
      'No credential, or one that is not valid: signed out, expired, revoked, or not an access token of this service.',
    headers: { 'WWW-Authenticate': header('WWW-Authenticate') },
  },
  {
    status: '403',
    codes: ['insufficient_scope'],
    description: `The credential does not hold \`${READ_SCOPE}\`.`,
    headers: { 'WWW-Authenticate': header('WWW-Authenticate') },
  },
  {
    status: '404',
    codes: ['not_found'],
    description:
      'No such resource, or not the caller’s, or the endpoint is not turned on for the caller.',
  },
  {
    status: '429',
    codes: ['rate_limited'],
    description:
      'The caller has used up the rate class `read`. A request after `Retry-After` is admitted.',
    headers: { 'Retry-After': header('Retry-After') },
  },
  {
    status: '500',
    codes: ['internal'],
    description: 'A failure of the service. Nothing is returned.',
  },
  {
    status: '503',
    codes: ['auth_unverifiable', 'unavailable'],
    description:
      'The sign-in could not be confirmed, which is not the same as signed out; or the service cannot answer just now. Try again after `Retry-After`, or back off.',
    headers: { 'Retry-After': header('Retry-After') },
  },
];

const INVALID_SINCE = {
  status: '400',
  codes: ['invalid_request'] as const,
  description: '`since` is not an ISO 8601 time with a zone. It is refused, never guessed.',
};

function errorResponses(
  responses: readonly (typeof ERROR_RESPONSES)[number][],
): Record<string, JsonSchema> {
  return Object.fromEntries(
    responses.map(({ status, codes, description, headers }) => [
      status,
      {
        description,
        headers: { ...EVERY_ANSWER, ...headers },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              codes.map((code) => [
                code,
                { value: { error: { code, message: ERROR_CATALOGUE[code].message } } },
              ]),
            ),
          },
        },
      },
    ]),
  );
}

function success(
  schema: string,
  description: string,
  example: (viewer: PrincipalType) => unknown,
  headers: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return {
    description,
    headers: { ...EVERY_ANSWER, ...headers },
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${schema}` },
        examples: {
          session: { summary: 'The buyer’s own session', value: example('session') },
          assistant: { summary: 'An assistant', value: example('assistant') },
        },
      },
    },
  };
}

/** The API described in OpenAPI 3.1, made from the declarations that the answers are written by. */
export function openApiDocument(settings: Settings): JsonSchema {
  const { limit, windowSeconds } = settings.readRate;
  const security = [{ oauth: [READ_SCOPE] }, { session: [] }];
  const shared = {
    tags: ['Deal sets'],
    security,
    'x-rate-class': { name: 'read', requests: limit, seconds: windowSeconds, per: 'principal' },
    'x-deadline-ms': settings.requestDeadlineMs,
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deal Sets',
      version: API_REVISION,
      description:
        'A car buyer’s price requests to dealerships and the ranked prices that came back. Read by the buyer’s own website session, and by assistants she approved, who see a description of the car wherever she may see a dealership’s name. Clients ignore fields and kinds they do not know, and branch on structure, not on display text.',
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
            'Without `since`: the active requests, at most 12 deal sets and the 25 newest requests to one dealership. With `since`: whatever changed after that time, ended requests included, oldest change first. To read everything, begin at `1970-01-01T00:00:00Z` and repeat with the `Service-As-Of` just received until `Service-More` is `false`; keep one entry per kind and id, since an entry can come twice.',
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
      schemas: { ...wireSchemas(ANSWERS), Error: ERROR_SCHEMA },
      headers: HEADERS,
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          description: 'An access token that the buyer gave to an assistant she approved.',
          flows: {
            authorizationCode: {
              authorizationUrl: `${settings.issuer?.issuer ?? 'https://issuer.example'}/authorize`,
              tokenUrl: `${settings.issuer?.issuer ?? 'https://issuer.example'}/token`,
              scopes: { [READ_SCOPE]: 'Read the buyer’s requests and the prices that came back.' },
            },
          },
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

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Every error. Branch on the code; the message is for people and may change.',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          description: 'What went wrong.',
          enum: Object.keys(ERROR_CATALOGUE),
        },
        message: { type: 'string', description: 'For people.', minLength: 1 },
      },
      required: ['code', 'message'],
      additionalProperties: true,
    },
  },
  required: ['error'],
  additionalProperties: true,
};

const HEADERS: JsonSchema = {
  'Cache-Control': {
    description: 'Answers are the caller’s alone.',
    schema: { type: 'string', const: 'private, no-store' },
  },
  'Service-API-Version': {
    description: 'Revision of the interface.',
    schema: { type: 'string', const: API_REVISION },
  },
  'Service-Request-Id': {
    description: 'Names this call in the service’s log.',
    schema: { type: 'string' },
  },
  'Service-As-Of': {
    description: 'Only with `since`: the time to pass as `since` on the next call.',
    schema: { type: 'string', format: 'date-time' },
  },
  'Service-More': {
    description:
      'Whether something was left out: of the active requests on a plain call, of the changed ones with `since`.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'WWW-Authenticate': {
    description: 'The bearer challenge; with 403 it names the scope that is needed.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Whole seconds to wait. Always with 429; with 503 when the wait is known.',
    schema: { type: 'integer', minimum: 1 },
  },
};

import type { JsonSchema } from '../deal-sets/wire/field.js';
import { API_REVISION } from '../http/contract-headers.js';
import { ERROR_CATALOGUE, REASON_MESSAGES } from '../http/error-catalogue.js';
import type { ErrorCode } from '../kernel/app-error.js';
import { READ_SCOPE, type PrincipalType } from '../kernel/principal.js';

export const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });
const EVERY_ANSWER = {
  'Cache-Control': header('Cache-Control'),
  'Service-API-Version': header('Service-API-Version'),
  'Service-Request-Id': header('Service-Request-Id'),
};

/** What happens before each code, in the words of the reader of the description. */
export const ERROR_RESPONSES: readonly {
  readonly status: string;
  readonly codes: readonly ErrorCode[];
  readonly description: string;
  /** The message of the documented cause; each code's own where absent. */
  readonly message?: string;
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
    headers: { 'Retry-After': header('Retry-After-If-Known') },
  },
];

export const INVALID_SINCE = {
  status: '400',
  codes: ['invalid_request'] as const,
  description: '`since` is not an ISO 8601 time with a zone. It is refused, never guessed.',
  message: REASON_MESSAGES.since_malformed,
};

/** The documented error responses, by status. */
export function errorResponses(
  responses: readonly (typeof ERROR_RESPONSES)[number][],
): Record<string, JsonSchema> {
  return Object.fromEntries(
    responses.map(({ status, codes, description, message, headers }) => [
      status,
      {
        description,
        headers: { ...EVERY_ANSWER, ...headers },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ErrorResponse' },
            examples: Object.fromEntries(
              codes.map((code) => [
                code,
                { value: { error: { code, message: message ?? ERROR_CATALOGUE[code].message } } },
              ]),
            ),
          },
        },
      },
    ]),
  );
}

/** A documented success with an example for each type of reader. */
export function success(
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

/** The set of codes is open, so they are described and not enumerated. */
const KNOWN_CODES = (Object.keys(ERROR_CATALOGUE) as ErrorCode[])
  .map((code) => `\`${code}\` (${ERROR_CATALOGUE[code].status})`)
  .join(', ');

export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ErrorResponse: {
    type: 'object',
    description: 'The body of every error response.',
    properties: { error: { $ref: '#/components/schemas/ErrorDetail' } },
    required: ['error'],
  },
  ErrorDetail: {
    type: 'object',
    description: 'Branch on the code and the HTTP status, never on the message.',
    properties: {
      code: {
        type: 'string',
        description: `What went wrong. An open list: treat a code that you do not know by the class of its HTTP status. Known codes: ${KNOWN_CODES}.`,
        examples: Object.keys(ERROR_CATALOGUE),
      },
      message: {
        type: 'string',
        description:
          'A constant text for people, one for each code and cause. It may change within a version.',
        minLength: 1,
      },
    },
    required: ['code', 'message'],
  },
};

/** A header component. `always`: it comes with every response that lists it. */
const headerOf = (description: string, schema: JsonSchema, always = false): JsonSchema => ({
  description,
  ...(always && { required: true }),
  schema,
});

/** Header components, by the name that responses refer to. */
export const HEADERS: JsonSchema = {
  'Cache-Control': headerOf(
    'Responses are the caller’s alone.',
    { type: 'string', const: 'private, no-store' },
    true,
  ),
  'Service-API-Version': headerOf(
    'Revision of the interface.',
    { type: 'string', const: API_REVISION },
    true,
  ),
  'Service-Request-Id': headerOf(
    'Names this request in the service’s log.',
    { type: 'string' },
    true,
  ),
  'Service-As-Of': headerOf('Only with `since`: the time to pass as `since` on the next call.', {
    type: 'string',
    format: 'date-time',
  }),
  'Service-More': headerOf(
    'Whether something was left out: of the active requests on a plain call, of the changed ones with `since`.',
    { type: 'string', enum: ['true', 'false'] },
    true,
  ),
  'WWW-Authenticate': headerOf(
    'The bearer challenge (RFC 6750); with 403 it names the scope that is needed.',
    { type: 'string' },
    true,
  ),
  'Retry-After': headerOf('Whole seconds to wait.', { type: 'integer', minimum: 1 }, true),
  'Retry-After-If-Known': headerOf('Whole seconds to wait, when the wait is known.', {
    type: 'integer',
    minimum: 1,
  }),
};

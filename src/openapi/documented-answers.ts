import type { JsonSchema } from '../deal-sets/wire/field.js';
import { API_REVISION } from '../http/contract-headers.js';
import { ERROR_CATALOGUE } from '../http/error-catalogue.js';
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

export const INVALID_SINCE = {
  status: '400',
  codes: ['invalid_request'] as const,
  description: '`since` is not an ISO 8601 time with a zone. It is refused, never guessed.',
};

/** The documented error responses, by status. */
export function errorResponses(
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

export const ERROR_SCHEMA: JsonSchema = {
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

export const HEADERS: JsonSchema = {
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

import { API_REVISION } from '../http/contract-headers.js';
import { ERROR_CATALOGUE } from '../http/error-catalogue.js';
import type { OwnError } from '../http/own-errors.js';
import type { ErrorCode } from '../kernel/app-error.js';
import type { JsonSchema } from '../response-shape/field.js';

/** The set of codes is open, so they are described and not enumerated. */
function knownCodes(own: readonly OwnError[]): string {
  return [
    ...(Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map(
      (code) => `\`${code}\` (${ERROR_CATALOGUE[code].status})`,
    ),
    ...own.map(
      ({ code, status, description }) =>
        `\`${code}\` (${status}: ${description.replace(/\.$/, '')})`,
    ),
  ].join(', ');
}

/** @param own errors that a team declares for the whole application. */
export const errorSchemas = (own: readonly OwnError[]): Readonly<Record<string, JsonSchema>> => ({
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
        description: `What went wrong. An open list: treat a code that you do not know by the class of its HTTP status. Known codes: ${knownCodes(own)}.`,
        examples: [...Object.keys(ERROR_CATALOGUE), ...own.map(({ code }) => code)],
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
});

/** A header component. `always`: it comes with every response that lists it. */
export const headerOf = (description: string, schema: JsonSchema, always = false): JsonSchema => ({
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

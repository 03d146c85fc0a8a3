import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  type ApiResponseNoStatusOptions,
} from '@nestjs/swagger';
import { API_REVISION } from '../http/context/contract-headers.js';
import {
  ERROR_CATALOGUE,
  errorEnvelope,
  errorMessage,
  type ErrorCode,
} from '../kernel/error-catalogue.js';
import { DEFAULT_RATE_CLASS } from '../http/policy.js';
import { CONTRACT_DEADLINE_MS } from '../kernel/deadline.js';
import { PRINCIPAL_TYPES, type ByPrincipalType } from '../kernel/principal.js';
import { composeRedaction } from '../redaction/field-redaction.js';
import { endpointErrorsOf, type DocumentedHeader, type EndpointPolicy } from './endpoint-policy.js';
import { ErrorResponse } from './error-response.dto.js';

/** Whether requests are counted in a rate class. */
export interface Counting {
  readonly isCounted: boolean;
}

const IS_COUNTED: Counting = { isCounted: true };

/**
 * Adds an endpoint to the API description, using only its policy.
 *
 * @param counting an endpoint whose requests are not counted has no quota headers and no 429.
 */
export function documentEndpoint(
  policy: EndpointPolicy,
  counting: Counting = IS_COUNTED,
): MethodDecorator {
  const { scope, rateClass = DEFAULT_RATE_CLASS, response } = policy;
  const { summary = '', description = '' } = policy;
  return applyDecorators(
    ApiOperation({
      summary,
      description,
      'x-required-scope': scope,
      ...(counting.isCounted && { 'x-rate-class': rateClass }),
      'x-deadline-ms': CONTRACT_DEADLINE_MS,
    } as never),
    ...security(policy),
    ApiExtraModels(response, ErrorResponse),
    successResponse(policy, counting),
    ...errorResponses(policy, counting),
  );
}

type Headers = Readonly<Record<string, DocumentedHeader>>;

/**
 * Describes a header that is present on every response for which it is documented.
 *
 * @param value the constant value of the header; undefined when it varies.
 */
function always(description: string, value?: string): DocumentedHeader {
  const schema = { type: 'string', ...(value !== undefined && { enum: [value] }) };
  return { description, required: true, schema };
}

const EVERY_RESPONSE: Headers = {
  'Cache-Control': always('The response is for this caller only.', 'private, no-store'),
  'Service-API-Version': always('Revision of the interface.', API_REVISION),
  'Service-Request-Id': always('Identifies this request in the service’s log.'),
};
/**
 * Describes the quota headers of `RateLimitGuard`.
 *
 * @param required whether every response for which they are documented was counted.
 */
function quota(required: boolean): Headers {
  const when = required ? '' : ' Only on a response that passed the rate check.';
  const schema = { type: 'string' };
  return {
    'RateLimit-Policy': {
      description: `The rate class and its limit of \`q\` requests per window of \`w\` seconds (an IETF draft): \`"read";q=120;w=60\`.${when}`,
      required,
      schema,
    },
    RateLimit: {
      description: `The caller has \`r\` requests left in the rate class. More become available within \`t\` seconds: \`"read";r=117;t=60\`.${when}`,
      required,
      schema,
    },
  };
}
const COUNTED = quota(true);
const MAY_BE_COUNTED = quota(false);

const schema = { type: 'integer', minimum: 1 };
/** Further headers of error responses, by status. */
const ERROR_HEADERS: Readonly<Record<number, Headers>> = {
  429: {
    'Retry-After': { description: 'Whole seconds to wait.', required: true, schema },
    ...COUNTED,
  },
  503: { 'Retry-After': { description: 'Whole seconds to wait, when known.', schema } },
};

/** An error of an endpoint, for the API description. */
export interface DocumentedError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly description: string;
}

/** The codes of the errors whose responses have the challenge. */
const CHALLENGED: readonly string[] = ['unauthenticated', 'insufficient_scope'];

/** Describes the challenge of the responses for a status; empty if none of its errors has it. */
function challenge(errors: readonly DocumentedError[]): Headers {
  const withChallenge = errors.filter(({ code }) => CHALLENGED.includes(code));
  if (withChallenge.length === 0) return {};
  const required = withChallenge.length === errors.length;
  const codes = withChallenge.map(({ code }) => `\`${code}\``).join(' and ');
  const when = required ? '' : ` Only with ${codes}.`;
  return {
    'WWW-Authenticate': {
      description: `The bearer challenge (RFC 6750); with 403 it names the scope that is needed.${when}`,
      required,
      schema: { type: 'string' },
    },
  };
}

/** Describes the headers of a response with a status, without the challenge. */
export function headersOfStatus(status: number, { isCounted }: Counting = IS_COUNTED): Headers {
  return { ...EVERY_RESPONSE, ...(isCounted && MAY_BE_COUNTED), ...ERROR_HEADERS[status] };
}

/** Describes the response for a status, with an example for each of its errors. */
export function responseOfStatus(
  status: number,
  errors: readonly DocumentedError[],
  counting: Counting = IS_COUNTED,
): ApiResponseNoStatusOptions {
  return {
    description: [...new Set(errors.map(({ description }) => description))].join(' '),
    headers: { ...headersOfStatus(status, counting), ...challenge(errors) },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorResponse) },
        examples: Object.fromEntries(
          errors.map(({ code, message }) => [code, { value: errorEnvelope(code, message) }]),
        ),
      },
    },
  };
}

/**
 * Documents the errors that every endpoint can send, and those that `errors`, `body` and
 * `principals` add.
 */
function errorResponses(policy: EndpointPolicy, counting: Counting): MethodDecorator[] {
  const { errors: listed = [], body, principals, documentation, scope } = policy;
  const { rateClass = DEFAULT_RATE_CLASS } = policy;
  const isSent: Partial<Record<ErrorCode, boolean>> = {
    invalid_request: listed.includes('invalid_request') || body !== undefined,
    forbidden: listed.includes('forbidden') || principals !== undefined,
    rate_limited: counting.isCounted,
  };
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
  const sent = codes.filter((code) => isSent[code] ?? true);
  const serviceErrors = sent.map((code) => {
    const { status, description } = ERROR_CATALOGUE[code];
    const reason = code === 'invalid_request' ? documentation?.invalidReason : undefined;
    const endpointDescription = description
      .replace('{scope}', scope)
      .replace('{rateClass}', rateClass);
    return { status, code, description: endpointDescription, message: errorMessage(code, reason) };
  });
  const endpointErrors = endpointErrorsOf(policy);
  const hostErrors = endpointErrors.map((error) => ({ ...error, message: error.description }));
  const errors: readonly DocumentedError[] = [...serviceErrors, ...hostErrors];
  const statuses = new Set(errors.map(({ status }) => status));
  return [...statuses].map((status) => {
    const statusErrors = errors.filter((error) => error.status === status);
    return ApiResponse({ status, ...responseOfStatus(status, statusErrors, counting) });
  });
}

const EXAMPLE_SUMMARIES: ByPrincipalType<string> = {
  session: 'The buyer’s own session',
  assistant: 'An assistant',
};

/** Documents the success response of an endpoint. */
function successResponse(policy: EndpointPolicy, { isCounted }: Counting): MethodDecorator {
  const { response, status = 200, summary = '', documentation = {} } = policy;
  const { responseDescription = summary, responseHeaders, example } = documentation;
  return ApiResponse({
    status,
    description: responseDescription,
    headers: {
      ...EVERY_RESPONSE,
      ...(isCounted && COUNTED),
      ...responseHeaders,
    },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(response) },
        ...(example && {
          examples: Object.fromEntries(
            PRINCIPAL_TYPES.map((type) => {
              const value = composeRedaction(response, type)(example(type));
              return [type, { summary: EXAMPLE_SUMMARIES[type], value }];
            }),
          ),
        }),
      },
    },
  });
}

function security({ principals = PRINCIPAL_TYPES, scope }: EndpointPolicy): MethodDecorator[] {
  const schemes: ByPrincipalType<MethodDecorator> = {
    session: ApiSecurity('session'),
    assistant: ApiSecurity('oauth', [scope]),
  };
  // In the order of `PRINCIPAL_TYPES`, so that the description does not depend on the policy's.
  return PRINCIPAL_TYPES.filter((type) => principals.includes(type)).map((type) => schemes[type]);
}

import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiSchema,
  ApiSecurity,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';
import { PRINCIPAL_TYPES, type ByPrincipalType, type PrincipalType } from '../kernel/principal.js';
import { shapeOf } from '../redaction/shape-of.js';
import { composeRedaction } from '../redaction/redact.js';
import { API_REVISION } from './contract-headers.js';
import type { EndpointPolicy } from './endpoint-policy.js';
import { ERROR_CATALOGUE, messageOf } from './error-catalogue.js';
import type { OwnError } from './own-errors.js';

/** The contract's deadline in milliseconds (section 8). */
const DEADLINE_MS = 8_000;

/** The set of codes is open, so they are described and not enumerated. */
const KNOWN_CODES = (Object.keys(ERROR_CATALOGUE) as ErrorCode[])
  .map((code) => `\`${code}\` (${ERROR_CATALOGUE[code].status})`)
  .join(', ');

@ApiSchema({ description: 'Branch on the code and the HTTP status, never on the message.' })
class ErrorDetail {
  @ApiProperty({
    type: 'string',
    description: `What went wrong. An open list: treat a code that you do not know by the class of its HTTP status. Known codes: ${KNOWN_CODES}.`,
    examples: Object.keys(ERROR_CATALOGUE),
  })
  readonly code!: string;

  @ApiProperty({
    type: 'string',
    description:
      'A constant text for people, one for each code and cause. It may change within a version.',
    minLength: 1,
  })
  readonly message!: string;
}

@ApiSchema({ description: 'The body of every error response.' })
class ErrorResponse {
  @ApiProperty({ type: () => ErrorDetail })
  readonly error!: ErrorDetail;
}

type Header = Readonly<{ description: string; required?: boolean; schema: object }>;
type Headers = Readonly<Record<string, Header>>;

const always = (description: string, schema: object): Header => ({
  description,
  required: true,
  schema,
});

const EVERY_RESPONSE: Headers = {
  'Cache-Control': always('Responses are the caller’s alone.', {
    type: 'string',
    enum: ['private, no-store'],
  }),
  'Service-API-Version': always('Revision of the interface.', {
    type: 'string',
    enum: [API_REVISION],
  }),
  'Service-Request-Id': always('Names this request in the service’s log.', { type: 'string' }),
};
const CHALLENGE: Headers = {
  'WWW-Authenticate': always(
    'The bearer challenge (RFC 6750); with 403 it names the scope that is needed.',
    { type: 'string' },
  ),
};
const SECONDS = { type: 'integer', minimum: 1 };

const HEADERS_OF: Readonly<Partial<Record<ErrorCode, Headers>>> = {
  unauthenticated: CHALLENGE,
  insufficient_scope: CHALLENGE,
  forbidden: CHALLENGE,
  rate_limited: { 'Retry-After': always('Whole seconds to wait.', SECONDS) },
  unavailable: {
    'Retry-After': { description: 'Whole seconds to wait, when known.', schema: SECONDS },
  },
};

/** When each error of the catalogue happens to a caller of an endpoint. */
function meaningOf(code: ErrorCode, { scope, rateClass }: EndpointPolicy): string {
  switch (code) {
    case 'invalid_request':
      return 'The request is not valid.';
    case 'unauthenticated':
      return 'No credential, or one that is not valid: signed out, expired, revoked, or not an access token of this service.';
    case 'insufficient_scope':
      return `The credential does not hold \`${scope}\`.`;
    case 'forbidden':
      return 'The caller may not use this operation.';
    case 'not_found':
      return 'No such resource, or not the caller’s, or the endpoint is not turned on for the caller.';
    case 'rate_limited':
      return `The caller has used up the rate class \`${rateClass}\`. A request after \`Retry-After\` is admitted.`;
    case 'internal':
      return 'A failure of the service. Nothing is returned.';
    case 'auth_unverifiable':
      return 'The sign-in could not be confirmed, which is not the same as signed out.';
    case 'unavailable':
      return 'The service is unavailable. Nothing is returned. Try again after `Retry-After`, or back off.';
  }
}

/** Responses of every endpoint: guards, deadline and defects. */
const OF_EVERY_ENDPOINT: readonly ErrorCode[] = [
  'unauthenticated',
  'insufficient_scope',
  'not_found',
  'rate_limited',
  'internal',
  'auth_unverifiable',
  'unavailable',
];

interface DocumentedError {
  readonly status: number;
  readonly code: string;
  readonly description: string;
  readonly message: string;
  readonly headers: Headers;
}

function errorsOf(policy: EndpointPolicy): DocumentedError[] {
  const { errors = [], body, principals } = policy;
  const codes = new Set<ErrorCode>([
    ...errors.filter((error) => typeof error === 'string'),
    ...(body ? (['invalid_request'] as const) : []),
    ...(principals ? (['forbidden'] as const) : []),
    ...OF_EVERY_ENDPOINT,
  ]);
  const catalogued = [...codes].map((code): DocumentedError => ({
    status: ERROR_CATALOGUE[code].status,
    code,
    description: meaningOf(code, policy),
    message: messageOf(code, code === 'invalid_request' ? reasonOf(policy) : undefined),
    headers: HEADERS_OF[code] ?? {},
  }));
  const own = errors
    .filter((error): error is OwnError => typeof error !== 'string')
    .map((error): DocumentedError => ({ ...error, message: error.description, headers: {} }));
  return [...catalogued, ...own, ...(body ? bodyErrors(policy) : [])];
}

function reasonOf({ documentation }: EndpointPolicy): ErrorReason | undefined {
  return documentation?.invalidReason;
}

function bodyErrors(policy: EndpointPolicy): DocumentedError[] {
  const shared = {
    code: 'invalid_request',
    message: messageOf('invalid_request'),
    headers: {},
  };
  return [
    { ...shared, status: 413, description: `The body of ${policy.summary} is over 64 KiB.` },
    { ...shared, status: 415, description: 'The body is not `application/json` in UTF-8.' },
  ];
}

function errorResponses(policy: EndpointPolicy): MethodDecorator[] {
  const errors = errorsOf(policy);
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b);
  return statuses.map((status) => {
    const ofStatus = errors.filter((error) => error.status === status);
    return ApiResponse({
      status,
      description: [...new Set(ofStatus.map(({ description }) => description))].join(' '),
      headers: {
        ...EVERY_RESPONSE,
        ...Object.assign({}, ...ofStatus.map(({ headers }) => headers)),
      } as never,
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(ErrorResponse) },
          examples: Object.fromEntries(
            ofStatus.map(({ code, message }) => [code, { value: { error: { code, message } } }]),
          ),
        },
      },
    });
  });
}

const EXAMPLE_OF: ByPrincipalType<string> = {
  session: 'The buyer’s own session',
  assistant: 'An assistant',
};

function successResponse({ response, body, documentation = {} }: EndpointPolicy): MethodDecorator {
  const { responseDescription, responseHeaders = {}, example } = documentation;
  const status = documentation.status ?? (body ? 201 : 200);
  const shape = shapeOf(response);
  const ownHeaders = Object.entries(responseHeaders).map(
    ([name, { description, schema, isAlways }]): [string, Header] => [
      name,
      { description, ...(isAlways && { required: true }), schema },
    ],
  );
  const exampleFor = (type: PrincipalType): object => ({
    summary: EXAMPLE_OF[type],
    value: composeRedaction(shape, type, new Set())(example?.(type)),
  });
  return ApiResponse({
    status,
    description: responseDescription ?? shape.description,
    headers: { ...EVERY_RESPONSE, ...Object.fromEntries(ownHeaders) },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(response) },
        ...(example && {
          examples: Object.fromEntries(PRINCIPAL_TYPES.map((type) => [type, exampleFor(type)])),
        }),
      },
    },
  });
}

/** The security scheme that each type of principal signs in with. */
const SCHEME_OF: ByPrincipalType<'session' | 'oauth'> = { session: 'session', assistant: 'oauth' };

function security({ principals = PRINCIPAL_TYPES, scope }: EndpointPolicy): MethodDecorator[] {
  return principals.map((type) =>
    ApiSecurity(SCHEME_OF[type], SCHEME_OF[type] === 'oauth' ? [scope] : []),
  );
}

/** The description with the rules for clients under it, in Markdown. */
function descriptionOf({ description = '', documentation }: EndpointPolicy): string {
  const { guide } = documentation ?? {};
  if (!guide) return description;
  const rules = guide.rules.map((rule, index) => `${index + 1}. ${rule}`);
  return [description, `**${guide.heading}**`, rules.join('\n')].join('\n\n');
}

/** Under its tag; without one, under its controller's name. */
function tagged(tag: string | undefined): MethodDecorator {
  return (controller, handler, descriptor) =>
    ApiTags(tag ?? controller.constructor.name.replace(/Controller$/, ''))(
      controller,
      handler,
      descriptor,
    );
}

/** Describes an endpoint in the API description of the application, from its policy. */
export function documentEndpoint(policy: EndpointPolicy): MethodDecorator {
  // The registry stops the boot of an endpoint without a response, by its name.
  if (typeof (policy.response as unknown) !== 'function') return () => undefined;
  const { scope, rateClass, summary, response, query, body, documentation } = policy;
  const models: Type[] = [response, ErrorResponse];
  return applyDecorators(
    ApiOperation({
      summary,
      description: descriptionOf(policy),
      'x-required-scope': scope,
      'x-rate-class': rateClass,
      'x-deadline-ms': DEADLINE_MS,
      ...documentation?.extensions,
    } as never),
    tagged(documentation?.tag?.name),
    ...security(policy),
    ApiExtraModels(...models),
    ...(query ? [ApiQuery({ type: query })] : []),
    ...(body ? [ApiBody({ type: body })] : []),
    successResponse(policy),
    ...errorResponses(policy),
  );
}

import type { EndpointPolicy } from '../http/endpoint.decorator.js';
import type { EndpointRoute } from '../http/endpoint-registry.js';
import { ERROR_CATALOGUE, REASON_MESSAGES } from '../http/error-catalogue.js';
import type { OwnError } from '../http/own-errors.js';
import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';
import { PRINCIPAL_TYPES, type ByPrincipalType, type PrincipalType } from '../kernel/principal.js';
import { compileSerializer } from '../response-shape/compile-serializer.js';
import type { JsonSchema } from '../response-shape/field.js';

export const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });

const EVERY_RESPONSE = {
  'Cache-Control': header('Cache-Control'),
  'Service-API-Version': header('Service-API-Version'),
  'Service-Request-Id': header('Service-Request-Id'),
};
const CHALLENGE = { 'WWW-Authenticate': header('WWW-Authenticate') };

/** An error as it is documented: its status, when it happens, and its body. */
export interface DocumentedError {
  readonly status: number;
  readonly description: string;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
}

/** When each error of the catalogue happens to a caller of an endpoint. */
function described(code: ErrorCode, { scope, rateClass }: EndpointPolicy): string {
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

const HEADERS_OF: Readonly<Partial<Record<ErrorCode, DocumentedError['headers']>>> = {
  unauthenticated: CHALLENGE,
  insufficient_scope: CHALLENGE,
  rate_limited: { 'Retry-After': header('Retry-After') },
  unavailable: { 'Retry-After': header('Retry-After-If-Known') },
};

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

const REASON_DESCRIPTIONS: Readonly<Record<ErrorReason, string>> = {
  since_malformed: '`since` is not an ISO 8601 time with a zone. It is refused, never guessed.',
};

/**
 * The errors of an endpoint, each with its code.
 *
 * @param reasons known causes of a refusal, from its input's validators.
 */
export function documentedErrors(
  policy: EndpointPolicy,
  reasons: readonly ErrorReason[],
): readonly DocumentedError[] {
  const own = policy.errors ?? [];
  const codes = new Set<ErrorCode>([
    ...own.filter((error) => typeof error === 'string'),
    ...(policy.body ? (['invalid_request'] as const) : []),
    ...(policy.principals ? (['forbidden'] as const) : []),
    ...OF_EVERY_ENDPOINT,
  ]);
  const errors: DocumentedError[] = [...codes].flatMap((code) =>
    code === 'invalid_request' ? invalidRequests(policy, reasons) : [catalogued(code, policy)],
  );
  errors.push(...own.filter((error): error is OwnError => typeof error !== 'string'));
  return errors.sort((one, other) => one.status - other.status);
}

/** The errors of an endpoint, by status. */
export function errorResponses(
  policy: EndpointPolicy,
  reasons: readonly ErrorReason[],
): Record<string, JsonSchema> {
  const errors = documentedErrors(policy, reasons);
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      responseOf(errors.filter((error) => error.status === status)),
    ]),
  );
}

function catalogued(code: ErrorCode, policy: EndpointPolicy): DocumentedError {
  const { status, message } = ERROR_CATALOGUE[code];
  const headers = HEADERS_OF[code];
  return {
    status,
    code,
    message,
    description: described(code, policy),
    ...(headers && { headers }),
  };
}

function invalidRequests(
  policy: EndpointPolicy,
  reasons: readonly ErrorReason[],
): DocumentedError[] {
  const generic = catalogued('invalid_request', policy);
  const named = reasons.map((reason) => ({
    ...generic,
    message: REASON_MESSAGES[reason],
    description: REASON_DESCRIPTIONS[reason],
  }));
  if (!policy.body) return named.length > 0 ? named : [generic];
  return [
    ...named,
    generic,
    { ...generic, status: 413, description: 'The body is over 64 KiB.' },
    { ...generic, status: 415, description: 'The body is not `application/json` in UTF-8.' },
  ];
}

function responseOf(errors: readonly DocumentedError[]): JsonSchema {
  const descriptions = new Set(errors.map(({ description }) => description));
  return {
    description: [...descriptions].join(' '),
    headers: { ...EVERY_RESPONSE, ...Object.assign({}, ...errors.map(({ headers }) => headers)) },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorResponse' },
        examples: Object.fromEntries(
          errors.map(({ code, message }) => [code, { value: { error: { code, message } } }]),
        ),
      },
    },
  };
}

export const EXAMPLE_OF: ByPrincipalType<string> = {
  session: 'The buyer’s own session',
  assistant: 'An assistant',
};

/** The example of an endpoint as this type of principal receives it; undefined when it has none. */
export function exampleFor({ declared, addedPaths }: EndpointRoute, type: PrincipalType): unknown {
  const example = declared.documentation?.example?.(type);
  if (example === undefined) return undefined;
  // Examples know nothing of the fields of a team: null in them.
  return JSON.parse(compileSerializer(declared.response, type, addedPaths)(example)) as unknown;
}

/** The success of an endpoint, with an example for each type of principal where it has one. */
export function successResponse(route: EndpointRoute): JsonSchema {
  const { response, documentation = {} } = route.declared;
  const { responseDescription, responseHeaders = {}, example } = documentation;
  const names = Object.keys(responseHeaders);
  return {
    description: responseDescription ?? response.description,
    headers: {
      ...EVERY_RESPONSE,
      ...Object.fromEntries(names.map((name) => [name, header(name)])),
    },
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${response.name}` },
        ...(example && {
          examples: Object.fromEntries(
            PRINCIPAL_TYPES.map((type) => [
              type,
              { summary: EXAMPLE_OF[type], value: exampleFor(route, type) },
            ]),
          ),
        }),
      },
    },
  };
}

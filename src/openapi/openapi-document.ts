import type { Settings } from '../config/settings.js';
import { API_REVISION } from '../http/contract-headers.js';
import type { EndpointPolicy } from '../http/endpoint.decorator.js';
import type { OwnError } from '../http/own-errors.js';
import type { EndpointRoute } from '../http/endpoint-registry.js';
import { PRINCIPAL_TYPES, READ_SCOPE, type ByPrincipalType } from '../kernel/principal.js';
import type { RateClass } from '../rate-limit/rate-classes.js';
import type { JsonSchema } from '../response-shape/field.js';
import { errorSchemas, headerOf, HEADERS } from './components.js';
import { bodySchema, parameters, reasonsOf } from './documented-input.js';
import { errorResponses, successResponse } from './documented-responses.js';
import { shapeSchemas } from './shape-schema.js';

/** What the description is made from. */
export interface DescribedApi {
  readonly settings: Settings;
  readonly endpoints: readonly EndpointRoute[];
  readonly rateClassOf: (name: string) => RateClass | undefined;
  /** Errors that the team declares for the whole application. */
  readonly errors: readonly OwnError[];
}

/** The API described in OpenAPI 3.1, made from the declarations of its endpoints. */
export function openApiDocument(api: DescribedApi): JsonSchema {
  const { settings, endpoints } = api;
  const policies = endpoints.map(({ declared }) => declared);
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
    tags: tagsOf(endpoints),
    paths: pathsOf(api),
    components: {
      schemas: {
        ...shapeSchemas(policies.map(({ response }) => response)),
        ...Object.fromEntries(
          policies.flatMap(({ body }) => (body ? [[body.name, bodySchema(body)]] : [])),
        ),
        ...errorSchemas(api.errors),
      },
      headers: { ...HEADERS, ...ownHeaders(policies) },
      securitySchemes: securitySchemes(settings, policies),
    },
  };
}

const tagOf = ({ controller, declared }: EndpointRoute): { name: string; description: string } =>
  declared.documentation?.tag ?? {
    name: controller.replace(/Controller$/, ''),
    description: `Endpoints of ${controller}.`,
  };

function tagsOf(endpoints: readonly EndpointRoute[]): JsonSchema[] {
  return [...new Map(endpoints.map(tagOf).map((tag) => [tag.name, tag])).values()];
}

function pathsOf(api: DescribedApi): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of api.endpoints) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, api) };
  }
  return paths;
}

function operationOf(
  route: EndpointRoute,
  { settings, endpoints, rateClassOf }: DescribedApi,
): JsonSchema {
  const { declared: policy, handler } = route;
  const isAlone = endpoints.filter((other) => other.handler === handler).length === 1;
  const given = parameters(route);
  return {
    tags: [tagOf(route).name],
    security: securityOf(policy, settings),
    'x-required-scope': policy.scope,
    'x-rate-class': rateClassExtension(policy.rateClass, rateClassOf(policy.rateClass)),
    'x-deadline-ms': settings.requestDeadlineMs,
    operationId: isAlone ? handler : route.name.replace('.', '_'),
    summary: policy.summary,
    ...(policy.description !== undefined && { description: policy.description }),
    ...policy.documentation?.extensions,
    ...(given.length > 0 && { parameters: given }),
    ...(policy.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${policy.body.name}` } },
        },
      },
    }),
    responses: {
      [String(route.status)]: successResponse(route),
      ...errorResponses(policy, reasonsOf(route)),
    },
  };
}

function rateClassExtension(name: string, rateClass: RateClass | undefined): JsonSchema {
  const limit = rateClass?.limit;
  return {
    name,
    // A limit that depends on the request is not one number.
    ...(typeof limit === 'number' && { requests: limit }),
    seconds: rateClass?.windowSeconds,
    per: 'principal',
  };
}

/** The security scheme that each type of principal signs in with. */
const SCHEME_OF: ByPrincipalType<'session' | 'oauth'> = { session: 'session', assistant: 'oauth' };

function securityOf(
  { principals = PRINCIPAL_TYPES, scope }: EndpointPolicy,
  settings: Settings,
): JsonSchema[] {
  // OpenAPI declares scopes with a flow: without one a requirement cannot name them.
  const scopes = settings.authorizationEndpoints ? [scope] : [];
  const schemes = principals.map((type) => SCHEME_OF[type]);
  return schemes
    .map((scheme) => (scheme === 'oauth' ? { oauth: scopes } : { [scheme]: [] }))
    .sort((one, other) => Object.keys(one).join().localeCompare(Object.keys(other).join()));
}

function ownHeaders(policies: readonly EndpointPolicy[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    policies.flatMap(({ documentation }) =>
      Object.entries(documentation?.responseHeaders ?? {}).map(
        ([name, { description, schema, isAlways }]) => [
          name,
          headerOf(description, schema, isAlways),
        ],
      ),
    ),
  );
}

function securitySchemes(settings: Settings, policies: readonly EndpointPolicy[]): JsonSchema {
  const scopes = [...new Set(policies.map(({ scope }) => scope))];
  return {
    oauth: {
      type: 'oauth2',
      description: 'An access token that the buyer gave to an assistant she approved.',
      // No address is invented: without settings no flow is described.
      flows: settings.authorizationEndpoints
        ? {
            authorizationCode: {
              authorizationUrl: settings.authorizationEndpoints.authorizationUrl,
              tokenUrl: settings.authorizationEndpoints.tokenUrl,
              scopes: Object.fromEntries(
                scopes.map((scope) => [scope, scopeText(scope, policies)]),
              ),
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
  };
}

function scopeText(scope: string, policies: readonly EndpointPolicy[]): string {
  if (scope === READ_SCOPE) return 'Read the buyer’s requests and the prices that came back.';
  const uses = policies.filter((policy) => policy.scope === scope).map(({ summary }) => summary);
  return `${uses.join('; ')}.`;
}

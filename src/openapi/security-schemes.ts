import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Settings, type AuthorizationEndpoints } from '../config/settings.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { operationsOf, replaceSecurity } from './document-operations.js';

/** With a prefix, because `addBearerAuth()` of Nest names the scheme of an application `bearer`. */
const BEARER = 'dealSetsBearer';
const ACCESS_TOKEN = 'The access token of an assistant that the buyer approved.';

/** What the security schemes of an application depend on. */
interface SignIn {
  /** The name of the session cookie. */
  readonly sessionCookie: string;
  /** Where clients obtain access tokens, if the settings contain it. */
  readonly authorization: AuthorizationEndpoints | undefined;
}

/**
 * Returns a copy of an application's document with the security schemes of the endpoints:
 * `session`, the cookie; `dealSetsBearer`, an access token; and `oauth`, the flow that obtains one.
 * If the settings do not contain the addresses of the authorization server, `oauth` is omitted and
 * the endpoints require `dealSetsBearer`.
 *
 * @param document the result of `SwaggerModule.createDocument`; it is not changed.
 * @throws {Error} when the document has a security scheme with one of these names.
 */
export function withSecuritySchemes(
  app: INestApplicationContext,
  document: OpenAPIObject,
): OpenAPIObject {
  const { sessionCookie, authorizationEndpoints: authorization } = app.get(Settings);
  const described = structuredClone(document);
  describeSignIn(described, { sessionCookie, authorization });
  return described;
}

/** Adds the security schemes to a document, and adapts the operations that refer to them. */
function describeSignIn(document: OpenAPIObject, { sessionCookie, authorization }: SignIn): void {
  const components = (document.components ??= {});
  const schemes = (components.securitySchemes ??= {});
  for (const name of [BEARER, 'session', 'oauth']) {
    if (!Object.hasOwn(schemes, name)) continue;
    throw new Error(`the document has another security scheme ${name}: give it a different name`);
  }
  schemes[BEARER] = { type: 'http', scheme: 'bearer', description: ACCESS_TOKEN };
  schemes['session'] = {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The buyer’s own signed-in website session.',
  };
  if (authorization) {
    schemes['oauth'] = {
      type: 'oauth2',
      description: ACCESS_TOKEN,
      flows: { authorizationCode: { ...authorization, scopes: scopesOf(document) } },
    };
  }
  // An endpoint declares the flow, but also accepts a token that was obtained in another way.
  replaceSecurity(document, ({ oauth, ...other }) => {
    if (oauth === undefined) return [other];
    return authorization ? [{ oauth }, { [BEARER]: oauth }] : [{ [BEARER]: oauth }];
  });
}

/**
 * Returns the scopes that operations require. The description of a scope consists of the summaries
 * of these operations; only `READ_SCOPE` has a fixed description.
 */
function scopesOf({ paths }: OpenAPIObject): Record<string, string> {
  const scopes: Record<string, string> = {};
  for (const { security = [], summary = '' } of operationsOf(paths)) {
    for (const scope of security.flatMap(({ oauth = [] }) => oauth)) {
      scopes[scope] = scopes[scope] ? `${scopes[scope]}; ${summary}` : summary;
    }
  }
  scopes[READ_SCOPE] = 'Read the buyer’s requests and the prices that came back.';
  return scopes;
}

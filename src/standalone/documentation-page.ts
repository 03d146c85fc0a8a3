import { Injectable, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyError, onSendHookHandler } from 'fastify';
import { DOCS_PATH, ServerSettings } from '../config/service-settings.js';
import { Settings } from '../config/settings.js';
import { CONTRACT_HEADERS } from '../http/context/contract-headers.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { ApiDescription, LICENSE } from './api-description.js';
import { replaceSecurity } from '../openapi/document-operations.js';

/**
 * The client id that the page suggests. It works if a public client with this id is registered at
 * the issuer.
 */
const PAGE_CLIENT_ID = 'deal-sets-docs';

/**
 * Hides Swagger's own bar, which offers to load other descriptions, and the field for a client
 * secret, which a page cannot keep. In the dialog for credentials, shows the flow that needs no
 * input first, and keeps the dialog within a low window. Breaks long words, so that the page does
 * not scroll sideways on a phone, and changes what has too little contrast.
 */
const PAGE_STYLE = `
  .swagger-ui .topbar, .swagger-ui .scope-def { display: none }
  .swagger-ui .auth-container .wrapper:has(> label[for^='client_secret']) { display: none }
  .swagger-ui .dialog-ux .modal-ux-content { display: flex; flex-direction: column; max-height: min(540px, 100vh - 90px) }
  .swagger-ui .auth-container:not(:has(> form)) { order: -1; border-bottom: 1px solid #ebebeb }
  .swagger-ui { overflow-wrap: anywhere }
  .swagger-ui .info .title small { background: #4a5160 }
  .swagger-ui .info .title small.version-stamp { background: #3f6b00 }
  html:not(.dark-mode) .swagger-ui :is(.info, .opblock) a { color: #1a5fb4 }
  html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #0b6352; color: #0b6352 }
  html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #0b6352 }
  html:not(.dark-mode) .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fa8 }
  html:not(.dark-mode) .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14704d }
  html:not(.dark-mode) .swagger-ui :is(.parameter__in, .json-schema-2020-12-expand-deep-button) { color: #555 }
  html.dark-mode .swagger-ui .header-col { color: #e4e6e6 }
  .swagger-ui .microlight span[style*='211, 99, 99'] { color: #ff9d9d !important }
`;

/** Headers of the framework's file server. Clients must not store responses of the service. */
const VALIDATOR_HEADERS = ['etag', 'last-modified', 'accept-ranges'];

/** The error code of the framework's file server when it rejects a path such as `//x` with 403. */
const FORBIDDEN_PATH = 'FST_STATIC_FORBIDDEN_PATH';

/** Leaves an error of the file server to the filter; a path that it rejects is an unknown path. */
function throwFileError(error: FastifyError): never {
  throw error.code === FORBIDDEN_PATH ? new NotFoundException() : error;
}

/**
 * Serves the API description as a page and as JSON. The description contains no buyer's data, so no
 * credential is required.
 */
@Injectable()
export class DocumentationPage {
  constructor(
    private readonly settings: Settings,
    private readonly server: ServerSettings,
    private readonly description: ApiDescription,
  ) {}

  /**
   * Registers the page and the JSON; with `API_DOCS=off` it registers neither. It must be called
   * before the application listens.
   */
  serve(app: NestFastifyApplication): void {
    const { publicUrl } = this.settings;
    if (!this.server.hasApiDocs) return;
    const fastify = app.getHttpAdapter().getInstance();
    const policy = pagePolicy(this.settings);
    const onSend: onSendHookHandler = (_request, reply, payload, done) => {
      reply.header('Content-Security-Policy', policy);
      // The file server replaces `Cache-Control`.
      for (const [name, value] of CONTRACT_HEADERS) reply.header(name, value);
      for (const name of VALIDATOR_HEADERS) reply.removeHeader(name);
      done(null, payload);
    };
    fastify.addHook('onRoute', (route) => {
      if (!route.url.startsWith(DOCS_PATH)) return;
      route.onSend = [onSend];
      route.errorHandler = throwFileError;
    });
    SwaggerModule.setup(DOCS_PATH, app, () => this.description.document, {
      ui: false,
      raw: ['json'],
      jsonDocumentUrl: 'api/v1/openapi.json',
    });
    SwaggerModule.setup(DOCS_PATH, app, () => this.#pageDocument(), {
      raw: false,
      customSiteTitle: 'Deal Sets',
      customCss: PAGE_STYLE,
      swaggerOptions: {
        oauth2RedirectUrl: publicUrl && `${publicUrl}${DOCS_PATH}/oauth2-redirect.html`,
        initOAuth: {
          clientId: PAGE_CLIENT_ID,
          scopes: [READ_SCOPE],
          usePkceWithAuthorizationCodeGrant: true,
        },
      },
    });
  }

  /**
   * The description with the credentials that a person can enter on the page. A browser sends the
   * session cookie by itself and does not let a page set it. The OAuth flow is offered only if
   * `publicUrl` is known. The license has no identifier, which the page would link to the SPDX list
   * even if it is not in it.
   */
  #pageDocument(): OpenAPIObject {
    const document = structuredClone(this.description.document);
    document.info.license = { name: LICENSE.name };
    const hidden = this.settings.publicUrl === undefined ? ['session', 'oauth'] : ['session'];
    for (const scheme of hidden) delete document.components?.securitySchemes?.[scheme];
    replaceSecurity(document, (requirement) =>
      Object.keys(requirement).some((scheme) => hidden.includes(scheme)) ? [] : [requirement],
    );
    return document;
  }
}

/**
 * Returns the content security policy of the page. Swagger UI sets inline styles, and its script
 * posts the authorization code to the token endpoint.
 */
function pagePolicy({ authorizationEndpoints }: Settings): string {
  const tokenEndpoint = authorizationEndpoints && new URL(authorizationEndpoints.tokenUrl).origin;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    ["connect-src 'self'", tokenEndpoint].join(' ').trimEnd(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

import { Injectable, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ServerSettings } from '../config/service-settings.js';
import { pathPrefixOf } from '../config/setting-parsers.js';
import { Settings, type AuthorizationEndpoints } from '../config/settings.js';
import { API_REVISION } from '../http/context/contract-headers.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { addBodyErrors } from './body-errors.js';
import { completeOpenApiDocument } from '../openapi/complete-document.js';

const DESCRIPTION =
  'A car buyer’s price requests to dealerships and the ranked prices that came back. The buyer’s own website session reads everything that the buyer may see. An assistant that the buyer approved gets a description of the car in place of a dealership’s name, and no contact, distance or message text. Clients must ignore unknown fields and kinds, and must not depend on the wording of display texts.\n\n**Try it out.** While you are signed in on the website at this address (in the demo: on the page at `/`), “Try it out” works with your session. Take ids from the list.';

function howToGetAToken(
  { hasMcp }: Settings,
  { authorizationUrl, tokenUrl }: AuthorizationEndpoints,
): string {
  const metadata = hasMcp
    ? ' `/.well-known/oauth-protected-resource` identifies the authorization server, whose own metadata describes how clients register.'
    : '';
  return (
    `\n\n**An access token for an assistant.** Send the buyer’s browser to \`${authorizationUrl}\` with \`response_type=code\`, ` +
    `your \`client_id\` and \`redirect_uri\`, \`scope=${READ_SCOPE}\`, \`state\`, and a PKCE \`code_challenge\` with ` +
    '`code_challenge_method=S256`. The buyer signs in and approves, and the browser returns with a `code`. Post it to ' +
    `\`${tokenUrl}\` with \`grant_type=authorization_code\`, the same \`client_id\` and \`redirect_uri\`, and the ` +
    '`code_verifier`; send the `access_token` of the response as `Authorization: Bearer …`.' +
    metadata
  );
}

/** The license of the package, which is `UNLICENSED`, in the form of OpenAPI 3.1. */
export const LICENSE = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

/** The API description of the standalone application. It is created when it is first read. */
@Injectable()
export class ApiDescription {
  #app: INestApplication | undefined;
  #document: OpenAPIObject | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly server: ServerSettings,
  ) {}

  /** Sets the application whose controllers are described. */
  open(app: INestApplication): void {
    this.#app = app;
  }

  /**
   * The description.
   *
   * @throws {Error} if `open` has not been called.
   */
  get document(): OpenAPIObject {
    return (this.#document ??= this.#describe());
  }

  #describe(): OpenAPIObject {
    if (!this.#app) throw new Error('the API description is not open');
    const created = SwaggerModule.createDocument(this.#app, this.#configuration(), {
      operationIdFactory: (_controller, method) => method,
    });
    const document = completeOpenApiDocument(this.#app, created);
    Object.assign(document.info, { license: LICENSE, contact: this.server.apiContact });
    addBodyErrors(document);
    return document;
  }

  #configuration(): Omit<OpenAPIObject, 'paths'> {
    const { authorizationEndpoints, hasMcp, publicUrl } = this.settings;
    const howTo = authorizationEndpoints
      ? howToGetAToken(this.settings, authorizationEndpoints)
      : '';
    const builder = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Deal Sets')
      .setVersion(API_REVISION)
      .setDescription(DESCRIPTION + howTo)
      .addServer(publicUrl === undefined ? '/' : pathPrefixOf(publicUrl) || '/')
      .addTag('Deal sets', 'Price requests and their results.');
    if (hasMcp) builder.addTag('MCP', 'The same reads for MCP clients.');
    return builder.build();
  }
}

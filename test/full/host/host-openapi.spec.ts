import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiSecurity,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  completeOpenApiDocument,
  customField,
  DealSetsModule,
  Endpoint,
  loadSettings,
  RequireScope,
  ResponseDto,
  Shown,
  type Settings,
} from '../../../src/index.js';
import { withSecuritySchemes } from '../../../src/openapi/security-schemes.js';
import { lintOpenApi } from '../../setup/lint-openapi.js';
import { startModuleHost } from '../../setup/module-host.js';

const AUTHORIZATION = {
  authorizationUrl: 'https://login.example/authorize',
  tokenUrl: 'https://login.example/token',
};
const WITH_AUTHORIZATION = {
  AUTH_AUTHORIZATION_URL: AUTHORIZATION.authorizationUrl,
  AUTH_TOKEN_URL: AUTHORIZATION.tokenUrl,
};
const PATH = '/shop/openapi.json';

@ResponseDto('A note.')
class Note {
  @Shown('What the buyer wrote.')
  readonly words!: string;
}

@Controller('notes')
class NotesController {
  @Get()
  @Endpoint({
    flag: 'notes',
    scope: 'notes:read',
    rateClass: 'read',
    response: Note,
    summary: 'Read the note',
  })
  read(): Note {
    return { words: 'too much' };
  }

  @Delete()
  @Endpoint({
    flag: 'notes',
    scope: 'notes:write',
    rateClass: 'read',
    response: Note,
    principals: ['session'],
    summary: 'Delete the note',
  })
  remove(): Note {
    return { words: 'removed' };
  }
}

/** A controller that states in its own words how it signs its callers in. */
@Controller('wishes')
class WishesController {
  @Get()
  @RequireScope('wishes:read')
  @ApiSecurity('session')
  @ApiSecurity('oauth', ['wishes:read'])
  @ApiOperation({ summary: 'Read the wishes' })
  @ApiOkResponse({ description: 'What the buyer wishes for.' })
  @ApiForbiddenResponse({ description: 'The credential lacks the scope.' })
  read(): readonly string[] {
    return [];
  }
}

class Kept {
  @ApiProperty({ description: 'The words.' }) readonly words!: string;
}

/** No test in this file connects to the database, so the URL need not work. */
function settings(env: Readonly<Record<string, string>> = {}): Settings {
  return loadSettings({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    SESSION_COOKIE: 'shop_session',
    ...env,
  });
}

const configuration = new DocumentBuilder()
  .setOpenAPIVersion('3.1.0')
  .setTitle('The shop')
  .setLicense('Proprietary', 'https://shop.example/license')
  .addServer('/')
  .build();

type Describe = typeof withSecuritySchemes;

/** Returns the document of a host application, as it serves it. */
async function documentOf(
  metadata: Parameters<typeof startModuleHost>[0],
  describe: Describe = withSecuritySchemes,
): Promise<{ readonly text: string; readonly document: OpenAPIObject }> {
  const host = await startModuleHost(metadata, (app) => {
    const describeHost = (): OpenAPIObject =>
      describe(app, SwaggerModule.createDocument(app, configuration));
    const options = { ui: false, raw: ['json'] as 'json'[], jsonDocumentUrl: PATH };
    SwaggerModule.setup('shop', app, describeHost, options);
  });
  try {
    const { text } = await host.call(PATH);
    return { text, document: JSON.parse(text) as OpenAPIObject };
  } finally {
    await host.stop();
  }
}

function dealSetsHost(env?: Readonly<Record<string, string>>) {
  return {
    imports: [DealSetsModule.forRoot({ settings: settings(env) })],
    controllers: [NotesController],
  };
}

const session = { type: 'apiKey', in: 'cookie', name: 'shop_session' };
const bearer = { type: 'http', scheme: 'bearer' };

const load = (): Promise<Map<string, never>> => Promise.resolve(new Map<string, never>());
const score = customField({ type: 'count', description: 'The score.', load });
const badges = customField({
  type: 'text',
  isList: true,
  forAssistants: 'shown',
  description: 'The badges.',
  load,
});

/** A host application with custom fields and with a rate class for its own endpoint. */
function extendedHost() {
  @Controller('notes')
  class LimitedController {
    @Get()
    @Endpoint({
      flag: 'notes',
      scope: 'notes:read',
      rateClass: 'notes',
      response: Note,
      summary: 'Read the note',
    })
    read(): Note {
      return { words: 'too much' };
    }
  }
  return {
    imports: [
      DealSetsModule.forRoot({
        settings: settings({ ...WITH_AUTHORIZATION, READ_RATE_LIMIT: '90' }),
        fields: { row: { score }, dealSetEntry: { badges }, singleEntry: { badges } },
        throttlers: [{ name: 'notes', limit: 30, ttl: 60_000 }],
      }),
    ],
    controllers: [LimitedController],
  };
}

/** The service's own description has errors that only its own body parser sends. */
const BODY_STATUSES = ['413', '415'];

@Controller('kept')
class KeepController {
  @Post()
  @Endpoint({
    flag: 'notes',
    scope: 'notes:write',
    rateClass: 'read',
    body: Kept,
    response: Note,
    summary: 'Keep a note',
  })
  keep(@Body() { words }: Kept): Note {
    return { words };
  }
}

function securityOf({ paths }: OpenAPIObject, path: string, method: 'get' | 'delete'): unknown {
  return paths[path]?.[method]?.security;
}

describe('the document of a host application', () => {
  it('leaves the errors of the body parser to the host application', async () => {
    const host = { ...dealSetsHost(), controllers: [KeepController] };
    const { document } = await documentOf(host, completeOpenApiDocument);
    const statuses = Object.keys(document.paths['/kept']?.post?.responses ?? {});
    expect(statuses).toContain('400');
    for (const status of BODY_STATUSES) expect(statuses).not.toContain(status);
  });

  it('must be of OpenAPI 3.1', async () => {
    const host = await startModuleHost(dealSetsHost());
    try {
      const document = SwaggerModule.createDocument(host.app, new DocumentBuilder().build());
      expect(() => completeOpenApiDocument(host.app, document)).toThrow(
        "OpenAPI 3.0.0: the schemas of the service need 3.1: set it with new DocumentBuilder().setOpenAPIVersion('3.1.0')",
      );
    } finally {
      await host.stop();
    }
  });

  it('is valid with the security schemes and the OAuth flow whose addresses are set', async () => {
    const { text, document } = await documentOf(dealSetsHost(WITH_AUTHORIZATION));
    await lintOpenApi(text);
    expect(document.components?.securitySchemes).toMatchObject({
      session,
      dealSetsBearer: bearer,
      oauth: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            ...AUTHORIZATION,
            scopes: { 'offers:read': expect.any(String) as unknown, 'notes:read': 'Read the note' },
          },
        },
      },
    });
    const scopes = ['notes:read'];
    expect(securityOf(document, '/notes', 'get')).toEqual(
      expect.arrayContaining([{ session: [] }, { oauth: scopes }, { dealSetsBearer: scopes }]),
    );
    expect(securityOf(document, '/notes', 'delete')).toEqual([{ session: [] }]);
  });

  it('is valid without that flow while no addresses are known', async () => {
    const { text, document } = await documentOf(dealSetsHost());
    await lintOpenApi(text);
    const schemes = document.components?.securitySchemes ?? {};
    expect(Object.keys(schemes).sort()).toEqual(['dealSetsBearer', 'session']);
    expect(text).not.toContain('oauth');
    expect(securityOf(document, '/notes', 'get')).toEqual(
      expect.arrayContaining([{ session: [] }, { dealSetsBearer: ['notes:read'] }]),
    );
  });

  it('is not valid without the security schemes', async () => {
    const { text } = await documentOf(dealSetsHost(), (_app, document) => document);
    await expect(lintOpenApi(text)).rejects.toThrow('security-defined');
  });

  it('is valid for controllers with @RequireScope that name the schemes', async () => {
    const { text, document } = await documentOf({
      imports: [DealSetsModule.forRoot({ settings: settings(WITH_AUTHORIZATION) })],
      controllers: [WishesController],
    });
    await lintOpenApi(text);
    expect(document.components?.securitySchemes?.['oauth']).toMatchObject({
      flows: { authorizationCode: { scopes: { 'wishes:read': 'Read the wishes' } } },
    });
  });

  it('keeps the security schemes of the host application, and rejects one of the same name', async () => {
    const host = await startModuleHost(dealSetsHost());
    try {
      const document = (name?: string) =>
        SwaggerModule.createDocument(
          host.app,
          new DocumentBuilder().addBearerAuth(undefined, name).build(),
        );
      const schemes = withSecuritySchemes(host.app, document()).components?.securitySchemes;
      expect(Object.keys(schemes ?? {}).sort()).toEqual(['bearer', 'dealSetsBearer', 'session']);
      expect(() => withSecuritySchemes(host.app, document('oauth'))).toThrow(
        'the document has another security scheme oauth: give it a different name',
      );
    } finally {
      await host.stop();
    }
  });
});

describe('completeOpenApiDocument', () => {
  it('adds the custom fields, the limits of the rate classes and the security schemes', async () => {
    const { text, document } = await documentOf(extendedHost(), completeOpenApiDocument);
    await lintOpenApi(text);
    const { schemas = {}, securitySchemes = {} } = document.components ?? {};
    expect(Object.keys(securitySchemes).sort()).toEqual(['dealSetsBearer', 'oauth', 'session']);
    expect(schemas['Row']).toMatchObject({
      properties: {
        score: { type: ['integer', 'null'], minimum: 0, description: expect.any(String) as string },
      },
      required: expect.arrayContaining(['rowKey', 'score']) as string[],
    });
    for (const entry of ['DealSetEntry', 'SingleEntry']) {
      expect(schemas[entry]).toMatchObject({
        properties: { badges: { type: ['array', 'null'], items: { type: 'string' } } },
        required: expect.arrayContaining(['kind', 'badges']) as string[],
      });
    }
    const rateOf = (path: string) =>
      (document.paths[path]?.get as Record<string, unknown> | undefined)?.['x-rate-class'];
    const read = { name: 'read', requests: 90, seconds: 60, per: 'principal' };
    expect(rateOf('/api/v1/deal-sets')).toEqual(read);
    expect(rateOf('/api/v1/deal-sets/{id}')).toEqual(read);
    expect(rateOf('/notes')).toEqual({ ...read, name: 'notes', requests: 30 });
  });

  it('does not change its argument, so that each request can complete the same document', async () => {
    const host = await startModuleHost(extendedHost());
    try {
      const document = SwaggerModule.createDocument(host.app, configuration);
      const before = structuredClone(document);
      const completed = completeOpenApiDocument(host.app, document);
      expect(document).toEqual(before);
      expect(completeOpenApiDocument(host.app, document)).toEqual(completed);
    } finally {
      await host.stop();
    }
  });
});

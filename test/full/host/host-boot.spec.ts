import { Module, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import type { INestApplication, ModuleMetadata, VersioningOptions } from '@nestjs/common';
import { DealSetsModule, type SettingsOptions } from '../../../src/index.js';
import { load, smallWorld } from '../../builders/index.js';
import { DealSetsMcpModule } from '../../../src/mcp.js';
import { LIST } from '../../setup/http-call.js';
import { bootModuleHost } from '../../setup/module-host.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type TestServiceOptions } from '../../setup/test-service.js';

const world = smallWorld();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
});
afterAll(() => database.drop());

const settings = (): SettingsOptions => ({ isProduction: false, database: { url: database.url } });
const TWICE =
  'DealSetsModule is imported more than once: import it in the root module alone, because it is global';

describe('a host application', () => {
  it.each<[problem: string, options: TestServiceOptions]>([
    [
      'throttlers: the name read belongs to the two reads: choose another name',
      { hostOptions: { throttlers: [{ name: 'read', limit: 1, ttl: 60_000 }] } },
    ],
    [
      'fields.row.score: load: expected a function',
      { hostOptions: { fields: { row: { score: { type: 'count', description: '' } as never } } } },
    ],
    [
      "fields.row.score: forAssistants: expected 'withheld' or 'shown'",
      {
        hostOptions: {
          fields: {
            row: {
              score: {
                type: 'count',
                description: '',
                forAssistants: 'show' as never,
                load: () => Promise.resolve(new Map()),
              },
            },
          },
        },
      },
    ],
    [
      'fields.row.score: type: expected one of text, uuid, time, boolean',
      { hostOptions: { fields: { row: { score: { type: 'money' } as never } } } },
    ],
  ])('does not start, and reports: %s', async (problem, options) => {
    await expect(TestService.start({ database, ...options })).rejects.toThrow(problem);
  });

  it.each<[problem: string, options: TestServiceOptions]>([
    [
      // A host application has no default.
      'PUBLIC_URL: expected to be set, because MCP is on',
      {
        env: { MCP: 'on', PORT: '3000', AUTH_AUDIENCE: 'http://127.0.0.1:3000' },
        hostApplication: { imports: [DealSetsMcpModule] },
      },
    ],
    [
      'DealSetsMcpModule: turn MCP (settings.hasMcp) on, so that the service also accepts tokens for /mcp',
      { hostApplication: { imports: [DealSetsMcpModule] } },
    ],
  ])('does not start with MCP, and reports: %s', async (problem, options) => {
    await expect(TestService.start({ database, ...options })).rejects.toThrow(problem);
  });

  it.each<[what: string, second: () => ModuleMetadata['imports']]>([
    ['as a class', () => [DealSetsModule]],
    ['by forRoot', () => [DealSetsModule.forRoot({ settings: settings() })]],
    [
      'by forRootAsync',
      () => [
        DealSetsModule.forRootAsync({
          useFactory: async () => {
            await new Promise((resolve) => setTimeout(resolve, 20));
            return { settings: settings() };
          },
        }),
      ],
    ],
  ])('does not start with a second import, and names it: %s', async (_what, second) => {
    @Module({ imports: second() })
    class FeatureModule {}

    const first = DealSetsModule.forRoot({ settings: settings() });
    await expect(bootModuleHost({ imports: [FeatureModule, first] })).rejects.toThrow(TWICE);
    await expect(bootModuleHost({ imports: [first, FeatureModule] })).rejects.toThrow(TWICE);
  });

  it.each<[string, VersioningOptions]>([
    ['URI', { type: VersioningType.URI, defaultVersion: '1' }],
    ['header', { type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' }],
    ['media type', { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' }],
    ['neutral', { type: VersioningType.URI, defaultVersion: VERSION_NEUTRAL }],
  ])(
    'leaves the paths of the module unchanged with versioning by %s',
    async (_what, versioning) => {
      const configure = (app: INestApplication): void => void app.enableVersioning(versioning);
      const service = await TestService.start({ database, hostApplication: { configure } });
      try {
        for (const path of [LIST, `${LIST}/${world.set.id}`]) {
          expect((await service.get(path, world.session)).status).toBe(200);
        }
        expect((await service.call(LIST)).status).toBe(401);
      } finally {
        await service.stop();
      }
    },
  );

  it('leaves the paths of MCP unchanged with versioning', async () => {
    const configure = (app: INestApplication): void =>
      void app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    const mcp = await McpService.start({ database, hostApplication: { configure } });
    try {
      const credential = await mcp.tokenFor(world.buyer.id);
      expect((await mcp.request('server/discover', {}, credential)).status).toBe(200);
      expect((await mcp.service.call('/.well-known/oauth-protected-resource/mcp')).status).toBe(
        200,
      );
    } finally {
      await mcp.stop();
    }
  });
});

import { Injectable, Module } from '@nestjs/common';
import { load, smallWorld } from '../../builders/index.js';
import {
  DealSetsModule,
  loadSettings,
  type DealSetsModuleAsyncOptions,
  type DealSetsOptionsFactory,
  type DealSetsValues,
  type SettingsOptions,
} from '../../../src/index.js';
import { LIST } from '../../setup/http-call.js';
import { startModuleHost } from '../../setup/module-host.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const world = smallWorld();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
});
afterAll(() => database.drop());

/** Runs `work` with a host application that has these settings. */
async function withSettings(
  settings: SettingsOptions,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({ database, settings });
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

describe('the settings of a host application', () => {
  it('are read from variables with a prefix, not from its own variables of the same names', async () => {
    const host = { LOG_LEVEL: 'silly', ROLLOUT_CHECKOUT: '25%', PORT: 'http', NODE_ENV: 'test' };
    const env = { ...host, DEAL_SETS_DATABASE_URL: database.url };
    await withSettings(loadSettings(env, { prefix: 'DEAL_SETS_' }), async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
    });
  });

  it('are typed options', async () => {
    const settings = {
      database: { url: database.url },
      issuer: { issuer: 'https://issuer.example', audiences: ['deal-sets'] },
      sessionCookie: 'sid',
      rollout: { get: 'off' },
    } as const;
    await withSettings(settings, async (service) => {
      const headers = { cookie: `sid=${world.session.cookie}` };
      expect((await service.call(LIST, { headers })).status).toBe(200);
      expect((await service.call(world.getPath, { headers })).status).toBe(404);
    });
  });

  it.each<[what: string, settings: object, message: string]>([
    ['are not valid', { databse: {} }, 'settings.databse: expected an option of the settings'],
    [
      'lack a database',
      {},
      'the database has no address: set DATABASE_URL (settings.database.url)',
    ],
  ])('stop the boot when they %s', async (_what, settings, message) => {
    const options = { isProduction: false, ...settings };
    await expect(TestService.start({ database, settings: options })).rejects.toThrow(message);
  });
});

@Injectable()
class Configuration {
  readonly cookie = 'sid';
}

@Injectable()
class DealSetsConfiguration implements DealSetsOptionsFactory {
  constructor(private readonly configuration: Configuration) {}

  createDealSetsOptions(): Promise<DealSetsValues> {
    return Promise.resolve({
      settings: {
        isProduction: false,
        database: { url: database.url },
        sessionCookie: this.configuration.cookie,
      },
    });
  }
}

@Module({
  providers: [Configuration, DealSetsConfiguration],
  exports: [Configuration, DealSetsConfiguration],
})
class ConfigurationModule {}

describe('the options of a host application', () => {
  const imports = [ConfigurationModule];

  it.each<[name: string, options: DealSetsModuleAsyncOptions]>([
    [
      'useFactory',
      {
        imports,
        inject: [DealSetsConfiguration],
        useFactory: (own: DealSetsConfiguration) => own.createDealSetsOptions(),
      },
    ],
    ['useClass', { imports, useClass: DealSetsConfiguration }],
    ['useExisting', { imports, useExisting: DealSetsConfiguration }],
  ])('come from %s', async (_name, options) => {
    const host = await startModuleHost({ imports: [DealSetsModule.forRootAsync(options)] });
    try {
      const headers = { cookie: `sid=${world.session.cookie}` };
      expect((await host.call(LIST, { headers })).status).toBe(200);
      const others = { cookie: `__Host-session=${world.session.cookie}` };
      expect((await host.call(LIST, { headers: others })).status).toBe(401);
    } finally {
      await host.stop();
    }
  });

  it.each([
    ['undefined', undefined],
    ['without settings', { fields: {} }],
  ])('stop the boot with one sentence if they are %s', async (_what, values) => {
    const module = DealSetsModule.forRootAsync({ useFactory: () => values as never });
    await expect(startModuleHost({ imports: [module] })).rejects.toThrow(
      'DealSetsModule: the options have no `settings`: pass typed options, or the result of loadSettings',
    );
  });

  it('have only known names, from a class too', async () => {
    class Misspelled implements DealSetsOptionsFactory {
      createDealSetsOptions(): DealSetsValues {
        return Object.assign({ settings: {} }, { redactionRule: [] });
      }
    }
    const module = DealSetsModule.forRootAsync({ useClass: Misspelled });
    await expect(startModuleHost({ imports: [module] })).rejects.toThrow(
      'unknown option redactionRule',
    );
  });
});

import { Controller, Delete, Module } from '@nestjs/common';
import { load, smallWorld } from '../builders/index.js';
import {
  createSettings,
  Endpoint,
  loadSettings,
  ResponseDto,
  Shown,
  type Settings,
} from '../../src/index.js';
import { LIST } from '../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService } from '../setup/test-service.js';

@ResponseDto('Files.')
class Files {
  @Shown('Their number.', { type: 'count' }) readonly count!: number;
}

@Controller('files')
class FilesController {
  @Delete()
  @Endpoint({
    flag: 'files',
    scope: 'offers:read',
    rateClass: 'read',
    response: Files,
    summary: 'Delete the files',
  })
  remove(): Files {
    return { count: 0 };
  }
}

@Module({ controllers: [FilesController] })
class FilesModule {}

const world = smallWorld();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
});
afterAll(() => database.drop());

/** Runs `work` with a host application that has these settings. */
async function withSettings(
  settings: Settings,
  work: (service: TestService) => Promise<void> | void,
): Promise<void> {
  // The port of the settings is not the host application's.
  const hostApplication = { port: 0 };
  const service = await TestService.start({ database, settings, hostApplication });
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

const warningsOf = (service: TestService): unknown[] =>
  service.logLines
    .map((line) => JSON.parse(line) as { level: string; msg: string; settings?: string[] })
    .filter(({ level, settings }) => level === 'warn' && settings)
    .map(({ msg, settings }) => [msg.split(':')[0], settings]);

/** Variables that the host application uses itself. */
const HOST_VARIABLES = {
  LOG_LEVEL: 'silly',
  ROLLOUT_CHECKOUT: '25%',
  PORT: 'http',
  NODE_ENV: 'test',
};

describe('the settings of a host application', () => {
  it('are read from variables with a prefix, not from its own variables of the same names', async () => {
    const env = { ...HOST_VARIABLES, DEAL_SETS_DATABASE_URL: database.url };
    await withSettings(loadSettings(env, { prefix: 'DEAL_SETS_' }), async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect(warningsOf(service)).toEqual([]);
    });
  });

  it('cause a warning for a variable with the prefix that is no setting', async () => {
    const env = {
      NODE_ENV: 'test',
      DEAL_SETS_DATABASE_URL: database.url,
      DEAL_SETS_SESION_COOKIE: 'sid',
    };
    await withSettings(loadSettings(env, { prefix: 'DEAL_SETS_' }), (service) => {
      expect(warningsOf(service)).toEqual([['unknown settings', ['DEAL_SETS_SESION_COOKIE']]]);
    });
  });

  it('are typed options', async () => {
    const settings = createSettings({
      database: { url: database.url },
      issuer: { issuer: 'https://issuer.example', audiences: ['deal-sets'] },
      sessionCookie: 'sid',
      rollout: { get: 'off' },
    });
    await withSettings(settings, async (service) => {
      const headers = { cookie: `sid=${world.session.cookie}` };
      expect((await service.call(LIST, { headers })).status).toBe(200);
      expect((await service.call(world.getPath, { headers })).status).toBe(404);
    });
  });

  it.each(['on', '25%', 'blue'])(
    'work beside its own level and its own flag %j in an environment without a prefix',
    async (flag) => {
      const env = { DATABASE_URL: database.url, LOG_LEVEL: 'verbose', ROLLOUT_CHECKOUT: flag };
      await withSettings(loadSettings(env), async (service) => {
        expect((await service.get(LIST, world.session)).status).toBe(200);
        expect(warningsOf(service)).toEqual([
          ['no endpoint declares the flags of these settings', ['ROLLOUT_CHECKOUT']],
        ]);
      });
    },
  );

  it('stop the boot when the flag of an endpoint has a wrong value', async () => {
    const settings = loadSettings({ DATABASE_URL: database.url, ROLLOUT_FILES: '25%' });
    const hostOptions = { imports: [FilesModule] };
    await expect(TestService.start({ database, settings, hostOptions })).rejects.toThrow(
      'ROLLOUT_FILES: expected on, off, or buyer ids (UUIDs) separated by commas',
    );
  });

  it('stop the boot without a database, and the error names the setting as the host sets it', async () => {
    const unset = [
      [loadSettings({}), 'set DATABASE_URL'],
      [loadSettings({}, { prefix: 'DEAL_SETS_' }), 'set DEAL_SETS_DATABASE_URL'],
      [createSettings({ isProduction: false }), 'set database.url'],
    ] as const;
    for (const [settings, message] of unset) {
      await expect(TestService.start({ database, settings })).rejects.toThrow(message);
    }
  });

  it('stop the boot when they have a flag that no endpoint declares', async () => {
    const options = { isProduction: false, database: { url: database.url } };
    const misspelt = [
      [
        createSettings({ ...options, rollout: { helo: 'on' } }),
        'rollout.helo: expected a declared',
      ],
      [
        loadSettings(
          { DEAL_SETS_DATABASE_URL: database.url, DEAL_SETS_ROLLOUT_HELO: 'on' },
          { prefix: 'DEAL_SETS_' },
        ),
        'DEAL_SETS_ROLLOUT_HELO: expected a declared',
      ],
    ] as const;
    for (const [settings, message] of misspelt) {
      await expect(TestService.start({ database, settings })).rejects.toThrow(message);
    }
  });

  it('cause a warning at boot that uses their given names when they have no effect', async () => {
    const variables = {
      DATABASE_URL: database.url,
      MANAGEMENT_PORT: '9090',
      PORT: '80',
      MCP: 'on',
    };
    const env = { ...variables, PUBLIC_URL: 'https://shop.example', SHUTDOWN_GRACE_MS: '10000' };
    const message = 'settings without effect';
    await withSettings(loadSettings(env), (service) => {
      // Without a prefix, PORT is the host's.
      expect(warningsOf(service)).toEqual([[message, ['MANAGEMENT_PORT', 'MCP']]]);
    });
    const prefixed = Object.fromEntries(
      Object.entries(env).map(([name, text]) => [`DEAL_SETS_${name}`, text] as const),
    );
    const settings = loadSettings(prefixed, { prefix: 'DEAL_SETS_' });
    await withSettings(settings, (service) => {
      const names = ['PORT', 'MANAGEMENT_PORT', 'MCP'].map((name) => `DEAL_SETS_${name}`);
      expect(warningsOf(service)).toEqual([[message, names]]);
    });
    const options = { port: 80, managementPort: 9090, shutdownDelayMs: 1, isProduction: false };
    await withSettings(
      createSettings({ ...options, database: { url: database.url } }),
      (service) => {
        const names = ['port', 'managementPort', 'shutdownDelayMs'];
        expect(warningsOf(service)).toEqual([[message, names]]);
      },
    );
  });
});

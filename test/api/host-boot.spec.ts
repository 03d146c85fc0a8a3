import { Injectable, Scope, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import type { INestApplication, VersioningOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { load, smallWorld } from '../builders/index.js';
import { DealSetsModule, GrantStore, loadSettings, SessionStore } from '../../src/index.js';
import { LIST } from '../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService, type TestServiceOptions } from '../setup/test-service.js';

const world = smallWorld();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
});
afterAll(() => database.drop());

@Injectable({ scope: Scope.REQUEST })
class SessionsOfRequest {
  find(): Promise<null> {
    return Promise.resolve(null);
  }
}

const grants = { provide: GrantStore, useValue: { find: () => Promise.resolve(null) } };

describe('a host application', () => {
  it('does not start with two modules', async () => {
    const settings = loadSettings({ DATABASE_URL: database.url });
    const hostApplication = { imports: [DealSetsModule.forRoot({ settings })] };
    await expect(TestService.start({ database, hostApplication })).rejects.toThrow(
      'DealSetsModule was imported twice: it is global, so import it once',
    );
  });

  it.each<[problem: string, options: TestServiceOptions]>([
    [
      'providers: SessionStore is request-scoped or transient: provide one instance for all requests',
      { hostOptions: { providers: [{ provide: SessionStore, useClass: SessionsOfRequest }] } },
    ],
    [
      'providers: SessionStore is request-scoped or transient: provide one instance for all requests',
      {
        hostOptions: {
          providers: [
            { provide: SessionStore, useFactory: () => grants.useValue, scope: Scope.TRANSIENT },
          ],
        },
      },
    ],
    [
      'providers: the provider of SessionStore has no method find: add it',
      { hostOptions: { providers: [{ provide: SessionStore, useValue: { load: () => null } }] } },
    ],
    [
      'providers: GrantStore is given twice: remove one of the two',
      { hostOptions: { providers: [grants, grants] } },
    ],
    [
      'throttlers: bulk: expected a limit and a ttl of at least 1',
      { hostOptions: { throttlers: [{ name: 'bulk', limit: 0, ttl: 60_000 }] } },
    ],
  ])('does not start, but says: %s', async (problem, options) => {
    await expect(TestService.start({ database, ...options })).rejects.toThrow(problem);
  });

  it('does not start with a factory that returns nothing', async () => {
    const module = DealSetsModule.forRootAsync({ useFactory: () => undefined as never });
    const started = NestFactory.createApplicationContext(module, {
      logger: false,
      abortOnError: false,
    });
    await expect(started).rejects.toThrow(
      'useFactory: expected an object with settings, not undefined',
    );
  });

  it.each<[string, VersioningOptions]>([
    ['URI', { type: VersioningType.URI, defaultVersion: '1' }],
    ['header', { type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' }],
    ['media type', { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' }],
    ['neutral', { type: VersioningType.URI, defaultVersion: VERSION_NEUTRAL }],
  ])('leaves the paths of the module with versioning by %s', async (_what, versioning) => {
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
  });
});

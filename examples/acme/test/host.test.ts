import {
  Controller,
  Get,
  Module,
  ValidationPipe,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { DealSetsModule, isDealSetsEndpoint, type Settings } from '@deal-sets/service';
import { sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { Registry } from 'prom-client';
import { map } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAcme } from '../src/acme-database.js';
import { options } from '../src/options.js';
import { startSessionService } from './session-service.js';

const world = sampleWorld();
const website = await startSessionService();
let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    world: world.records.filter(({ record }) => record !== 'session'),
    prepare: migrateAcme,
  });
  const expiresAt = new Date(Date.now() + 3_600_000);
  website.sessions.set(world.cookie, { buyerId: world.buyerId, expiresAt });
  website.locales.set(world.buyerId, 'de-DE');
}, 60_000);

afterAll(async () => {
  await service.stop();
  website.stop();
}, 30_000);

@Controller('cars')
class CarsController {
  @Get()
  list(): string[] {
    return ['Outback'];
  }
}

class NeedsKey implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (isDealSetsEndpoint(context)) return true;
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return headers['x-key'] === 'acme';
  }
}

class Wraps implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    if (isDealSetsEndpoint(context)) return next.handle();
    return next.handle().pipe(map((acme: unknown) => ({ acme })));
  }
}

/** Returns Acme's own application, which imports the module. */
function shopWith(settings: Settings) {
  @Module({
    imports: [
      PassportModule.register({ defaultStrategy: 'jwt', property: 'account' }),
      ThrottlerModule.forRoot({
        throttlers: [
          { name: 'short', ttl: 1_000, limit: 1 },
          { name: 'default', ttl: 60_000, limit: 2 },
          { name: 'long', ttl: 600_000, limit: 3 },
        ],
        skipIf: isDealSetsEndpoint,
      }),
      DealSetsModule.forRoot({
        ...options({ websiteUrl: website.url, registry: new Registry() }),
        settings,
      }),
    ],
    controllers: [CarsController],
    providers: [
      { provide: APP_GUARD, useClass: NeedsKey },
      { provide: APP_GUARD, useClass: ThrottlerGuard },
      { provide: APP_INTERCEPTOR, useClass: Wraps },
      {
        provide: APP_PIPE,
        useValue: new ValidationPipe({
          transform: true,
          whitelist: true,
          forbidNonWhitelisted: true,
          transformOptions: { enableImplicitConversion: true },
        }),
      },
    ],
  })
  class ShopModule {}
  return ShopModule;
}

describe.each(['fastify', 'express'])('a host application on %s', (name) => {
  it('serves the endpoints beside its own routes', async () => {
    const adapter = name === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
    const app = await NestFactory.create(shopWith(service.settings), adapter, { logger: false });
    app.setGlobalPrefix('shop');
    await app.listen(0, '127.0.0.1');
    try {
      const url = `${await app.getUrl()}/shop`;
      const list = `${url}/api/v1/deal-sets`;
      const headers = { cookie: `__Host-session=${world.cookie}` };
      const statuses = async (target: string, sent: Record<string, string>, times: number) => {
        const all: number[] = [];
        for (let call = 0; call < times; call += 1) {
          all.push((await fetch(target, { headers: sent })).status);
        }
        return all;
      };
      // The application's throttlers count only its own routes.
      expect(await statuses(`${list}?since=2026-01-01T00:00:00Z&more=1`, headers, 5)).toEqual([
        200, 200, 200, 200, 200,
      ]);
      const token = `Bearer ${await service.tokenFor(world.buyerId)}`;
      const row = await fetch(`${list}/${world.dealSetId}`, { headers: { authorization: token } });
      expect(await row.json()).toMatchObject({
        data: {
          ranked: [{ rows: [{ acmeScore: null, statusLabel: 'Preis liegt schriftlich vor' }] }],
        },
      });
      const refused = await fetch(list, { headers: { authorization: 'Bearer anything' } });
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);

      expect((await fetch(`${url}/cars`)).status).toBe(403);
      const cars = await fetch(`${url}/cars`, { headers: { 'x-key': 'acme' } });
      expect(await cars.json()).toEqual({ acme: ['Outback'] });
      expect(cars.headers.get('service-api-version')).toBeNull();
      expect(await statuses(`${url}/cars`, { 'x-key': 'acme' }, 1)).toEqual([429]);
    } finally {
      await app.close();
    }
  });
});

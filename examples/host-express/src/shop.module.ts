import { Module, ValidationPipe, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DealSetsModule, isDealSetsEndpoint, type Settings } from '@deal-sets/service';
import { DealSetsMcpModule } from '@deal-sets/service/mcp';
import { AccountGuard, AccountStrategy } from './account.js';
import { Appointment, AppointmentsModule } from './appointments.js';
import { DataInterceptor } from './data.interceptor.js';
import { Favorite, FavoritesModule } from './favorites.js';
import { ShopFilter } from './shop.filter.js';

/** The options of the shop. */
export interface ShopOptions {
  /** The settings of the deal sets. */
  readonly settings: Settings;
  /** The address of the shop's database. */
  readonly databaseUrl: string;
  /** The key of the shop's own tokens. */
  readonly tokenSecret: string;
}

/** An application with every kind of global provider that Nest has, and with the deal sets. */
@Module({})
export class ShopModule {
  static register({ settings, databaseUrl, tokenSecret }: ShopOptions): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url: databaseUrl,
          installExtensions: false,
          entities: [Appointment, Favorite],
          // Keeps the example short. A shop in production runs migrations instead.
          synchronize: true,
        }),
        PassportModule.register({ defaultStrategy: 'jwt', property: 'account' }),
        ThrottlerModule.forRoot({
          throttlers: [
            { name: 'short', ttl: 1_000, limit: 1_000 },
            { name: 'long', ttl: 60_000, limit: 20 },
          ],
          skipIf: isDealSetsEndpoint,
        }),
        CacheModule.register({ ttl: 60_000 }),
        DealSetsModule.forRoot({
          settings,
          throttlers: [{ name: 'favorites', limit: 60, ttl: 60_000 }],
        }),
        DealSetsMcpModule,
        AppointmentsModule,
        FavoritesModule,
      ],
      providers: [
        { provide: AccountStrategy, useFactory: () => new AccountStrategy(tokenSecret) },
        { provide: APP_GUARD, useClass: AccountGuard },
        { provide: APP_GUARD, useClass: ThrottlerGuard },
        { provide: APP_INTERCEPTOR, useClass: DataInterceptor },
        // The interceptor does not cache endpoints with `@Endpoint`.
        { provide: APP_INTERCEPTOR, useClass: CacheInterceptor },
        { provide: APP_FILTER, useClass: ShopFilter },
        {
          provide: APP_PIPE,
          useValue: new ValidationPipe({
            transform: true,
            whitelist: true,
            forbidNonWhitelisted: true,
          }),
        },
      ],
    };
  }
}

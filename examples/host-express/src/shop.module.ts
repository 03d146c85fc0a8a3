import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { isDealSetsEndpoint } from '@deal-sets/service';
import { DealSetsMcpModule } from '@deal-sets/service/mcp';
import { AccountGuard, AccountStrategy } from './account.js';
import { AppointmentsModule } from './appointments.js';
import { DataInterceptor } from './data.interceptor.js';
import { dealSets } from './deal-sets.js';
import { FavoritesExportModule } from './favorites-export.js';
import { FavoritesModule } from './favorites.js';
import { NotesModule } from './notes.js';
import { ShopFilter } from './shop.filter.js';
import { validation } from './validation.js';

/** An application with every kind of global provider that Nest has, and with the deal sets. */
@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    TypeOrmModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        type: 'postgres',
        url: config.getOrThrow<string>('DATABASE_URL'),
        installExtensions: false,
        autoLoadEntities: true,
        // Keeps the example short. A shop in production runs migrations instead.
        synchronize: true,
      }),
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
    dealSets,
    DealSetsMcpModule,
    AppointmentsModule,
    FavoritesModule,
    FavoritesExportModule,
    NotesModule,
  ],
  providers: [
    {
      provide: AccountStrategy,
      inject: [ConfigService],
      useFactory: (config: ConfigService) =>
        new AccountStrategy(config.getOrThrow<string>('SHOP_TOKEN_SECRET')),
    },
    { provide: APP_GUARD, useClass: AccountGuard },
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_INTERCEPTOR, useClass: DataInterceptor },
    // The interceptor does not cache endpoints with `@Endpoint`.
    { provide: APP_INTERCEPTOR, useClass: CacheInterceptor },
    { provide: APP_FILTER, useClass: ShopFilter },
    validation,
  ],
})
export class ShopModule {}

import { ConfigModule, ConfigService } from '@nestjs/config';
import { DealSetsModule } from '@deal-sets/service';

/**
 * The deal sets, with typed settings from the shop's own configuration. The service reads no
 * environment variable itself, so variables of the shop such as `LOG_LEVEL` do not affect it.
 */
export const dealSets = DealSetsModule.forRootAsync({
  imports: [ConfigModule],
  inject: [ConfigService],
  useFactory: (config: ConfigService) => ({
    settings: {
      publicUrl: config.getOrThrow<string>('PUBLIC_URL'),
      hasMcp: true,
      database: { url: config.getOrThrow<string>('DATABASE_URL') },
      issuer: {
        issuer: config.getOrThrow<string>('LOGIN_ISSUER'),
        audiences: [config.getOrThrow<string>('API_AUDIENCE')],
        jwksUrl: config.get<string>('LOGIN_KEYS_URL'),
      },
      rollout: { favorites: 'on' },
    },
    throttlers: [{ name: 'favorites', limit: 60, ttl: 60_000 }],
  }),
});

import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AuthModuleOptions } from '@nestjs/passport';
import { mcpAudiences, Settings } from '../config/settings.js';
import type { PortProviders } from '../kernel/port-providers.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { ApprovedAssistants, AssistantGuard } from './assistant.guard.js';
import { TokenIssuer } from './decode-access-token.js';
import { DevelopmentIssuer } from './development-issuer.js';
import { GrantStore, PostgresGrantStore } from './grant-store.js';
import { AccessTokenStrategy, JwtBearerGuard } from './jwt-bearer.guard.js';
import { RemoteIssuer } from './remote-issuer.js';
import { SessionGuard } from './session.guard.js';
import { PostgresSessionStore, SessionStore } from './session-store.js';

/** Sign-in: the guards that turn a credential into a principal, and the stores behind them. */
@Global()
@Module({})
export class AuthModule {
  static register(ports: PortProviders): DynamicModule {
    return {
      module: AuthModule,
      imports: ports.imports,
      providers: [
        PostgresSessionStore,
        { provide: SessionStore, useExisting: PostgresSessionStore },
        PostgresGrantStore,
        { provide: GrantStore, useExisting: PostgresGrantStore },
        JwtBearerGuard,
        { provide: AssistantGuard, useExisting: JwtBearerGuard },
        ...ports.of(SessionStore, GrantStore, AssistantGuard),
        SessionGuard,
        ApprovedAssistants,
        { provide: TokenIssuer, useFactory: issuerOf, inject: [Settings, Log, Metrics] },
        AccessTokenStrategy,
        // Not exported: for `JwtBearerGuard` alone, so that neither a host's options reach it nor these a host's guards.
        {
          provide: AuthModuleOptions,
          useFactory: ({ name }: AccessTokenStrategy): AuthModuleOptions => ({
            defaultStrategy: name,
            property: 'principal',
            session: false,
          }),
          inject: [AccessTokenStrategy],
        },
      ],
      exports: [SessionStore, GrantStore, AssistantGuard, SessionGuard, ApprovedAssistants],
    };
  }
}

/**
 * The issuer in the settings, or the local development issuer when the settings name none. Which of the two is logged
 * at each start, so that a forgotten setting is seen.
 */
function issuerOf(settings: Settings, log: Log, metrics: Metrics): TokenIssuer {
  if (!settings.issuer) {
    const development = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
    log.warn({ issuer: development.issuer }, 'development issuer in use: not for production');
    return development;
  }
  const { issuer, audiences, jwksUrl } = settings.issuer;
  const remote = new RemoteIssuer(issuer, audiences, jwksUrl, (failure) => {
    metrics.keySetDownloads.inc({ outcome: failure ? 'failure' : 'success' });
    if (failure) log.warn(errorFields(failure), 'JWKS download failed');
    else metrics.keySetDownloadedAt.setToCurrentTime();
  });
  log.info({ issuer }, 'access token issuer');
  remote.warmUp();
  return remote;
}

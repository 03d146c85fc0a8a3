import {
  Module,
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  type ModuleMetadata,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { AuthModuleOptions } from '@nestjs/passport';
import { ThrottlerStorageService, type ThrottlerOptions } from '@nestjs/throttler';
import { TokenIssuer } from '../auth/access-token.js';
import { ApprovedAssistants, GrantStore, PostgresGrantStore } from '../auth/grant-store.js';
import { AccessTokenStrategy, AssistantGuard, JwtBearerGuard } from '../auth/jwt-bearer.guard.js';
import { openIssuer } from '../auth/remote-issuer.js';
import { SessionGuard } from '../auth/session.guard.js';
import { PostgresSessionStore, SessionStore } from '../auth/session-store.js';
import { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { ContractFilter } from '../http/contract.filter.js';
import { EndpointRegistry } from '../endpoint/endpoint-registry.js';
import { Requests } from '../http/request-context.service.js';
import { APPLICATION_LOG, Log } from '../observability/logger.js';
import { Metrics, MetricsRegistry } from '../observability/metrics.js';
import { toHostLogger } from '../observability/nest-log.js';
import { RequestObserver } from '../observability/request-observer.js';
import { RateCounters, RateLimitStorage } from '../rate-limit/rate-limit-storage.js';
import { RATE_LIMITS, RateLimiter, rateLimits } from '../rate-limit/rate-limiter.js';
import { RedisStorage } from '../rate-limit/redis-storage.js';
import { AddedFields } from '../redaction/field.js';
import { REDACTION_RULES, ResponseRedaction } from '../redaction/response-redaction.js';
import { RolloutCheck } from '../rollout/rollout.guard.js';
import { Rollout, SettingsRollout } from '../rollout/rollout.js';
import { DealSetsApi } from './deal-sets.api.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { EnglishTexts, Texts } from './domain/display-texts.js';
import { FeedMetrics } from './feed-metrics.js';
import { OWN_FIELDS, OwnFieldLoader, addedFields, type OwnFields } from './custom-fields.js';
import { DealSetQueries } from './queries/deal-set-queries.js';
import { checkedRules, type RedactionRule } from './redaction-rule.js';

/** What `useFactory` of `forRootAsync` returns. */
export interface DealSetsValues {
  /** See `loadSettings`. */
  readonly settings: Settings;
  /** Nullable fields of rows and entries, withheld from assistants unless declared otherwise. */
  readonly fields?: OwnFields;
  /** Rules that hide further listing facts or fields from a principal. */
  readonly redactionRules?: readonly RedactionRule[];
  /** Rate classes beside `read`, by the `name` that endpoints declare as `rateClass`. */
  readonly throttlers?: readonly ThrottlerOptions[];
}

/** The parts of a team, as plain metadata of a module. */
type Parts = Pick<ModuleMetadata, 'imports'> & {
  /**
   * In place of ports: `SessionStore`, `GrantStore`, `AssistantGuard`, `Rollout`, `RateLimitStorage`, `Texts`,
   * `RequestObserver`, `MetricsRegistry`. A factory can inject the shipped parts behind the first six and wrap them.
   */
  readonly providers?: ModuleMetadata['providers'];
};

/** Everything that a team may change. The comment of each port says what an implementation guarantees. */
export type DealSetsModuleOptions = DealSetsValues & Parts;

/** The same with values that are known once other providers are. */
export interface DealSetsModuleAsyncOptions extends Parts {
  readonly inject?: readonly InjectionToken[];
  readonly useFactory: (...dependencies: never[]) => DealSetsValues | Promise<DealSetsValues>;
}

/** The shipped part behind each port. A team's provider of the same token follows, and Nest uses the last. */
const PORTS: readonly Exclude<Provider, Type>[] = [
  { provide: SessionStore, useExisting: PostgresSessionStore },
  { provide: GrantStore, useExisting: PostgresGrantStore },
  { provide: AssistantGuard, useExisting: JwtBearerGuard },
  { provide: Rollout, useExisting: SettingsRollout },
  {
    provide: RateLimitStorage,
    useFactory: ({ redisUrl }: Settings, own: ThrottlerStorageService) =>
      redisUrl === undefined ? own : new RedisStorage(redisUrl),
    inject: [Settings, ThrottlerStorageService],
  },
  { provide: Texts, useExisting: EnglishTexts },
  { provide: RequestObserver, useValue: { observe: () => undefined } },
  { provide: MetricsRegistry, useClass: MetricsRegistry },
];
const PORT_TOKENS = PORTS.map(({ provide }) => provide);

const DEAL_SETS_VALUES = Symbol('deal sets values');

function part(provide: InjectionToken, of: (values: DealSetsValues) => unknown): Provider {
  return { provide, useFactory: of, inject: [DEAL_SETS_VALUES] };
}

const PARTS: readonly Provider[] = [
  part(Settings, ({ settings }) => settings),
  part(AddedFields, ({ fields = {} }) => addedFields(fields)),
  part(OWN_FIELDS, ({ fields = {} }) => fields),
  part(REDACTION_RULES, ({ redactionRules = [] }) => checkedRules(redactionRules)),
  part(RATE_LIMITS, ({ settings, throttlers = [] }) => rateLimits(settings, throttlers)),
  {
    provide: Log,
    useFactory: ({ logLevel }: Settings, given?: Log) => given ?? new Log(logLevel, toHostLogger()),
    inject: [Settings, { token: APPLICATION_LOG, optional: true }],
  },
  Metrics,
  Requests,
  ContractFilter,
  EndpointRegistry,
  PostgresSessionStore,
  PostgresGrantStore,
  SessionGuard,
  JwtBearerGuard,
  ApprovedAssistants,
  { provide: TokenIssuer, useFactory: openIssuer, inject: [Settings, Log, Metrics] },
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
  SettingsRollout,
  RolloutCheck,
  ThrottlerStorageService,
  RateCounters,
  RateLimiter,
  EnglishTexts,
  DealSetQueries,
  OwnFieldLoader,
  ResponseRedaction,
  DealSetsService,
  DealSetsApi,
  FeedMetrics,
];

/**
 * The two read endpoints for any Nest application, with their own sign-in, rollout, rate limit, redaction and errors,
 * which touch no other route. A team's controllers get the same by `@Endpoint`.
 */
@Module({})
export class DealSetsModule implements OnModuleInit {
  constructor(private readonly parts: ModuleRef) {}

  /** @throws {Error} naming a port of which a team's provider made nothing. */
  onModuleInit(): void {
    const empty = PORT_TOKENS.find((token) => !this.parts.get<unknown>(token));
    if (empty) throw new Error(`providers: no value was given for ${nameOf(empty)}`);
  }

  /** @throws {Error} for an unknown option, or a provider that replaces no port. */
  static forRoot({ imports, providers, ...values }: DealSetsModuleOptions): DynamicModule {
    return DealSetsModule.forRootAsync({ imports, providers, useFactory: () => values });
  }

  /** @throws {Error} as `forRoot`. */
  static forRootAsync({
    imports = [],
    providers = [],
    inject = [],
    useFactory,
    ...unknown
  }: DealSetsModuleAsyncOptions): DynamicModule {
    assertKnown(Object.keys(unknown), ['imports', 'providers', 'inject', 'useFactory']);
    assertPorts(providers);
    const values: FactoryProvider = {
      provide: DEAL_SETS_VALUES,
      useFactory: async (...given: never[]) => {
        const values = await useFactory(...given);
        assertKnown(Object.keys(values), ['settings', 'fields', 'redactionRules', 'throttlers']);
        if (!(values.settings instanceof Settings)) {
          throw new Error('settings: expected what loadSettings returns');
        }
        return values;
      },
      inject: [...inject],
    };
    return {
      module: DealSetsModule,
      global: true,
      imports: [...imports, DatabaseModule, DiscoveryModule],
      controllers: [DealSetsController],
      providers: [values, ...PARTS, ...PORTS, ...providers],
      exports: [
        ...PORT_TOKENS,
        Settings,
        AddedFields,
        RATE_LIMITS,
        Log,
        Metrics,
        Requests,
        ContractFilter,
        EndpointRegistry,
        SessionGuard,
        ApprovedAssistants,
        RolloutCheck,
        RateCounters,
        RateLimiter,
        DealSetsApi,
        ResponseRedaction,
      ],
    };
  }
}

/** Types do not bind a caller in JavaScript. */
function assertKnown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`DealSetsModule: unknown option ${unknown.join(', ')}`);
}

function assertPorts(providers: readonly Provider[]): void {
  for (const provider of providers) {
    const token = typeof provider === 'function' ? provider : provider.provide;
    if (PORT_TOKENS.includes(token)) continue;
    const known = PORT_TOKENS.map(nameOf).join(', ');
    throw new Error(`providers: ${nameOf(token)} is no port: expected one of ${known}`);
  }
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : String(token);
}

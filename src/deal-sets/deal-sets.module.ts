import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
} from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import { AssistantGuard } from '../auth/assistant.guard.js';
import { AuthModule } from '../auth/auth.module.js';
import { GrantStore } from '../auth/grant-store.js';
import { SessionStore } from '../auth/session-store.js';
import { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import { HttpModule } from '../http/http.module.js';
import { PortProviders } from '../kernel/port-providers.js';
import { MetricsRegistry } from '../observability/metrics.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { RequestObserver } from '../observability/request-observer.js';
import { OWN_THROTTLERS, RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { RateLimitStorage } from '../rate-limit/rate-limit-storage.js';
import { AddedFields } from '../redaction/field.js';
import { ResponseRedaction } from '../redaction/response-redaction.js';
import { Rollout } from '../rollout/rollout.js';
import { RolloutModule } from '../rollout/rollout.module.js';
import { DealSetsApi } from './deal-sets.api.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { EnglishTexts, Texts } from './domain/texts.js';
import { FeedMetrics } from './feed-metrics.js';
import { OWN_FIELDS, OwnFieldLoader, addedFields, type OwnFields } from './own-fields.js';
import { DealSetQueries } from './queries/deal-set-queries.js';
import { checkedRules, REDACTION_RULES, type RedactionRule } from './redaction-rule.js';

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
   * Providers in place of ports: `SessionStore`, `GrantStore`, `AssistantGuard`, `Rollout`, `RateLimitStorage`,
   * `Texts`, `RequestObserver`, `MetricsRegistry`. The shipped parts behind the first six can be injected by their own
   * names, so that a factory can wrap them.
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

const PORTS = [
  SessionStore,
  GrantStore,
  AssistantGuard,
  Rollout,
  RateLimitStorage,
  Texts,
  RequestObserver,
  MetricsRegistry,
] as const;

const VALUES = ['settings', 'fields', 'redactionRules', 'throttlers'];
const DEAL_SETS_VALUES = Symbol('deal sets values');

/**
 * The two read endpoints for any Nest application: import it, and they are served with their own sign-in, rollout,
 * rate limit, redaction and errors, which touch no other route. A team's controllers get the same by `@Endpoint`.
 */
@Module({})
export class DealSetsModule {
  /** @throws {Error} for an unknown option, or a provider that replaces no port. */
  static forRoot({ imports, providers, ...values }: DealSetsModuleOptions): DynamicModule {
    return DealSetsModule.forRootAsync({
      ...(imports && { imports }),
      ...(providers && { providers }),
      useFactory: () => values,
    });
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
    const ports = new PortProviders(PORTS, { imports, providers });
    return {
      module: DealSetsModule,
      global: true,
      imports: [
        ...imports,
        valuesModule(imports, inject, useFactory),
        ObservabilityModule.register(ports),
        HttpModule,
        DatabaseModule,
        AuthModule.register(ports),
        RolloutModule.register(ports),
        RateLimitModule.register(ports),
      ],
      controllers: [DealSetsController],
      providers: [
        EnglishTexts,
        { provide: Texts, useExisting: EnglishTexts },
        ...ports.of(Texts),
        DealSetQueries,
        OwnFieldLoader,
        {
          provide: ResponseRedaction,
          useFactory: (
            rules: readonly RedactionRule[],
            registry: EndpointRegistry,
            added: AddedFields,
          ) => new ResponseRedaction(rules, () => registry.dtos, added),
          inject: [REDACTION_RULES, EndpointRegistry, AddedFields],
        },
        DealSetsService,
        DealSetsApi,
        FeedMetrics,
      ],
      exports: [DealSetsApi, ResponseRedaction, Texts],
    };
  }
}

/** What every module of the service asks for, made once. */
@Module({})
class DealSetsValuesModule {}

function valuesModule(
  imports: NonNullable<Parts['imports']>,
  inject: readonly InjectionToken[],
  useFactory: DealSetsModuleAsyncOptions['useFactory'],
): DynamicModule {
  const part = <T>(provide: InjectionToken, of: (values: DealSetsValues) => T) => ({
    provide,
    useFactory: of,
    inject: [DEAL_SETS_VALUES],
  });
  const parts = [
    part(Settings, ({ settings }) => settings),
    part(AddedFields, ({ fields = {} }) => addedFields(fields)),
    part(OWN_FIELDS, ({ fields = {} }) => fields),
    part(REDACTION_RULES, ({ redactionRules = [] }) => checkedRules(redactionRules)),
    part(OWN_THROTTLERS, ({ throttlers = [] }) => throttlers),
  ];
  return {
    module: DealSetsValuesModule,
    global: true,
    imports,
    providers: [
      {
        provide: DEAL_SETS_VALUES,
        useFactory: async (...given: never[]) => {
          const values = await useFactory(...given);
          assertKnown(Object.keys(values), VALUES);
          if (!(values.settings instanceof Settings)) {
            throw new Error('settings: expected what loadSettings returns');
          }
          return values;
        },
        inject: [...inject],
      },
      ...parts,
    ],
    exports: parts,
  };
}

/** Types do not bind a caller in JavaScript. */
function assertKnown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`DealSetsModule: unknown option ${unknown.join(', ')}`);
  }
}

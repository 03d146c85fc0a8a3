import {
  ConfigurableModuleBuilder,
  Module,
  Logger,
  type ConfigurableModuleOptionsFactory,
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  type ModuleMetadata,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Settings, settingsFromOptions, type SettingsOptions } from '../../config/settings.js';
import { TIME_LIMITS, TimeLimits } from '../../kernel/time-limits.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import { HOST_THROTTLERS, type RateClassOptions } from '../../rate-limit/throttlers.js';
import { CustomFieldRegistry } from '../../redaction/field.js';
import { HiddenFields } from '../../redaction/hidden-fields.js';
import { createCustomFieldRegistry, CUSTOM_FIELDS, type CustomFields } from './custom-fields.js';
import { RedactionRules, type RedactionRule } from './redaction-rules.js';
import { assertPortsImplemented, assertPortsInPlace } from './port-checks.js';
import { PORT_TOKENS, PORTS } from './ports.js';

/** The values of the module, which the factory of `forRootAsync` returns. */
export interface DealSetsValues {
  /** Typed options, or the result of `loadSettings`. */
  readonly settings: SettingsOptions;
  /** Custom fields of rows and entries, withheld from assistants unless declared otherwise. */
  readonly fields?: CustomFields;
  /** Rules that hide further listing facts or fields from a principal. */
  readonly redactionRules?: readonly RedactionRule[];
  /** Rate classes besides `read`. The `name` of each is what endpoints declare as `rateClass`. */
  readonly throttlers?: readonly RateClassOptions[];
}

/** Providers and imports supplied by the host application. */
export interface HostProviders extends Pick<ModuleMetadata, 'imports'> {
  /**
   * Providers that replace ports: `SessionStore`, `GrantStore`, `AssistantAuthenticator`,
   * `Rollout`, `RateLimitStorage`, `DisplayTexts`, `RequestObserver`, `MetricsRegistry`. They can
   * inject the defaults of the ports, the providers that `imports` export, and each other.
   */
  readonly providers?: readonly Provider[];
}

/**
 * The options of `forRoot`. The comment of each port describes what an implementation guarantees.
 */
export interface DealSetsModuleOptions extends DealSetsValues, HostProviders {}

/** A class that returns the values of the module, for `useClass` and `useExisting`. */
export type DealSetsOptionsFactory = ConfigurableModuleOptionsFactory<
  DealSetsValues,
  'createDealSetsOptions'
>;

/**
 * The options of `forRootAsync`, for values that other providers supply: `useFactory` with
 * `inject`, or a `DealSetsOptionsFactory` as `useClass` or `useExisting`. The type admits one of
 * the three, because Nest would ignore another without an error.
 */
export type DealSetsModuleAsyncOptions = HostProviders &
  (
    | (Pick<FactoryProvider<DealSetsValues>, 'useFactory' | 'inject'> & {
        readonly useClass?: never;
        readonly useExisting?: never;
      })
    | {
        readonly useClass: Type<DealSetsOptionsFactory>;
        readonly useFactory?: never;
        readonly useExisting?: never;
      }
    | {
        readonly useExisting: Type<DealSetsOptionsFactory>;
        readonly useFactory?: never;
        readonly useClass?: never;
      }
  );

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<DealSetsValues>()
    .setFactoryMethodName('createDealSetsOptions')
    .build();

const DEAL_SETS_VALUES = Symbol('deal sets values');

/**
 * What the host application passed, for every module of the service: the values, each under the
 * token of the module that uses it, and the implementation of each port.
 */
@Module({})
export class DealSetsOptionsModule implements OnModuleInit {
  /**
   * Registers what the host application passed.
   *
   * @param logger default: Nest's logger, which writes to the log of the host application.
   * @throws {Error} for an unknown option.
   */
  static register(
    options: DealSetsModuleAsyncOptions,
    logger: ServiceLogger = new Logger('DealSetsModule'),
  ): DynamicModule {
    assertNames(options, OPTION_NAMES);
    const { imports = [], providers = [] } = options;
    const { providers: factory = [] } = ConfigurableModuleClass.registerAsync(options);
    const values: Provider[] = [
      ...factory,
      {
        provide: DEAL_SETS_VALUES,
        useFactory: (hostValues: Partial<DealSetsValues> = {}) => {
          assertNames(hostValues, VALUE_NAMES);
          if (!hostValues.settings) throw new Error(NO_SETTINGS);
          return hostValues;
        },
        inject: [MODULE_OPTIONS_TOKEN],
      },
      { provide: ServiceLogger, useValue: logger },
      valueOf(Settings, ({ settings }) => settingsFromOptions(settings)),
      { provide: TimeLimits, useValue: Object.freeze({ ...TIME_LIMITS }) },
      valueOf(CustomFieldRegistry, ({ fields = {} }) => createCustomFieldRegistry(fields)),
      valueOf(CUSTOM_FIELDS, ({ fields = {} }) => fields),
      valueOf(RedactionRules, ({ redactionRules = [] }) => new RedactionRules(redactionRules)),
      { provide: HiddenFields, useExisting: RedactionRules },
      valueOf(HOST_THROTTLERS, ({ throttlers = [] }) => throttlers),
    ];
    return {
      module: DealSetsOptionsModule,
      // The modules of the service are static, so they cannot import this one. Nest also starts the
      // providers of a global module before those that use them, and stops them later.
      global: true,
      imports,
      // Nest uses the last provider of a token.
      providers: [...PORTS, ...providers, ...values],
      exports: [...PORT_TOKENS, ServiceLogger, ...VALUE_TOKENS],
    };
  }

  constructor(private readonly modules: ModulesContainer) {}

  /** @throws {Error} for a port that another module provides, and for one without its methods. */
  onModuleInit(): void {
    assertPortsInPlace(this.modules, DealSetsOptionsModule);
    assertPortsImplemented(this.modules, DealSetsOptionsModule);
  }
}

/** The tokens of the values, which a host application gives as options, not as providers. */
export const VALUE_TOKENS: readonly InjectionToken[] = [
  Settings,
  TimeLimits,
  CustomFieldRegistry,
  CUSTOM_FIELDS,
  RedactionRules,
  HiddenFields,
  HOST_THROTTLERS,
];

function valueOf(
  provide: InjectionToken,
  useFactory: (values: DealSetsValues) => unknown,
): Provider {
  return { provide, useFactory, inject: [DEAL_SETS_VALUES] };
}

const VALUE_NAMES = ['settings', 'fields', 'redactionRules', 'throttlers'];
const NO_SETTINGS =
  'DealSetsModule: the options have no `settings`: pass typed options, or the result of loadSettings';
const OPTION_NAMES = ['imports', 'providers', 'inject', 'useFactory', 'useClass', 'useExisting'];

/**
 * Checks the names of options. A misspelled or misplaced `redactionRules` or `fields` would
 * otherwise show what it was meant to withhold.
 *
 * @throws {Error} naming the unknown options.
 */
function assertNames(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Error(`DealSetsModule: unknown option ${unknown.join(', ')}: correct or remove it`);
}

import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type Provider,
} from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import { assertKnownOptions } from '../config/known-options.js';
import { Settings, settingsFromOptions, type SettingsOptions } from '../config/settings.js';
import { HOST_THROTTLERS } from '../rate-limit/throttler-options.js';
import { CustomFieldRegistry } from '../redaction/field.js';
import { REDACTION_RULES } from '../redaction/redaction-rules.js';
import { createCustomFieldRegistry, CUSTOM_FIELDS, type CustomFields } from './custom-fields.js';
import { checkedRules, type RedactionRule } from './redaction-rule.js';

/** The values of the module, which `useFactory` of `forRootAsync` returns. */
export interface DealSetsValues {
  /** Typed options, or the result of `loadSettings`. */
  readonly settings: SettingsOptions;
  /** Custom fields of rows and entries, withheld from assistants unless declared otherwise. */
  readonly fields?: CustomFields;
  /** Rules that hide further listing facts or fields from a principal, or replace texts. */
  readonly redactionRules?: readonly RedactionRule[];
  /** Rate classes besides `read`. The `name` of each is what endpoints declare as `rateClass`. */
  readonly throttlers?: readonly ThrottlerOptions[];
}

/** How the values are created. The members are those of a factory provider of Nest. */
export interface DealSetsValuesFactory {
  /** The modules whose providers the factory injects. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly inject: readonly InjectionToken[];
  readonly useFactory: (...dependencies: never[]) => DealSetsValues | Promise<DealSetsValues>;
}

const DEAL_SETS_VALUES = Symbol('deal sets values');

/** The values that the host application passed, each under the token of the module that uses it. */
@Module({})
export class DealSetsOptionsModule {
  static register({ imports, inject, useFactory }: DealSetsValuesFactory): DynamicModule {
    const values: Provider = {
      provide: DEAL_SETS_VALUES,
      useFactory: async (...dependencies: never[]) =>
        checkedValues(await useFactory(...dependencies)),
      inject: [...inject],
    };
    return {
      module: DealSetsOptionsModule,
      imports: [...imports],
      providers: [
        values,
        provideFrom(Settings, ({ settings }) => settingsFromOptions(settings)),
        provideFrom(CustomFieldRegistry, ({ fields = {} }) => createCustomFieldRegistry(fields)),
        provideFrom(CUSTOM_FIELDS, ({ fields = {} }) => fields),
        provideFrom(REDACTION_RULES, ({ redactionRules = [], fields = {} }) =>
          checkedRules(redactionRules, createCustomFieldRegistry(fields)),
        ),
        provideFrom(HOST_THROTTLERS, ({ throttlers = [] }) => throttlers),
      ],
      exports: [Settings, CustomFieldRegistry, CUSTOM_FIELDS, REDACTION_RULES, HOST_THROTTLERS],
    };
  }
}

function provideFrom(
  provide: InjectionToken,
  useFactory: (values: DealSetsValues) => unknown,
): Provider {
  return { provide, useFactory, inject: [DEAL_SETS_VALUES] };
}

function checkedValues(values: DealSetsValues): DealSetsValues {
  assertKnownOptions('DealSetsModule', values, [
    'settings',
    'fields',
    'redactionRules',
    'throttlers',
  ]);
  return values;
}

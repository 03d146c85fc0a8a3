import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
} from '@nestjs/common';
import { assertKnownOptions } from './known-options.js';
import { Settings, settingsFromOptions, type SettingsOptions } from './settings.js';

/** How the settings are created. The members are those of a factory provider of Nest. */
export interface SettingsFactory {
  /** The modules whose providers the factory injects. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly inject: readonly InjectionToken[];
  readonly useFactory: (...dependencies: never[]) => SettingsValues | Promise<SettingsValues>;
}

/** The values of a module that needs only the settings. */
export interface SettingsValues {
  /** Typed options, or the result of `loadSettings`. */
  readonly settings: SettingsOptions;
}

/** Provides the settings to a module that an application uses without `DealSetsModule`. */
@Module({})
export class SettingsModule {
  /** @param owner the name of the module that takes the settings, for messages. */
  static register(owner: string, { imports, inject, useFactory }: SettingsFactory): DynamicModule {
    return {
      module: SettingsModule,
      imports: [...imports],
      providers: [
        {
          provide: Settings,
          useFactory: async (...dependencies: never[]) => {
            const values = await useFactory(...dependencies);
            assertKnownOptions(owner, values, ['settings']);
            return settingsFromOptions(values.settings);
          },
          inject: [...inject],
        },
      ],
      exports: [Settings],
    };
  }
}

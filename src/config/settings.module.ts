import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
} from '@nestjs/common';
import { assertKnownOptions } from './known-options.js';
import { Settings } from './settings.js';

/** How the settings are created. The members are those of a factory provider of Nest. */
export interface SettingsFactory {
  /** The modules whose providers the factory injects. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly inject: readonly InjectionToken[];
  readonly useFactory: (...dependencies: never[]) => SettingsValues | Promise<SettingsValues>;
}

/** The values of a module that needs only the settings. */
export interface SettingsValues {
  /** The result of `loadSettings` or `createSettings`. */
  readonly settings: Settings;
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
            assertSettings(values);
            assertKnownOptions(owner, values, ['settings']);
            return values.settings;
          },
          inject: [...inject],
        },
      ],
      exports: [Settings],
    };
  }
}

/**
 * Checks the values that a factory returned.
 *
 * @throws {Error} unless they contain the result of `loadSettings` or `createSettings`.
 */
export function assertSettings(values: Partial<SettingsValues> | null | undefined): void {
  if (typeof values !== 'object' || values === null) {
    const found = values === null ? 'null' : typeof values;
    throw new Error(`useFactory: expected an object with settings, not ${found}`);
  }
  if (!(values.settings instanceof Settings)) {
    throw new Error('settings: expected the result of loadSettings or createSettings');
  }
}

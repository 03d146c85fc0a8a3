import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
} from '@nestjs/common';
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
  static register({ imports, inject, useFactory }: SettingsFactory): DynamicModule {
    return {
      module: SettingsModule,
      imports: [...imports],
      providers: [
        {
          provide: Settings,
          useFactory: async (...dependencies: never[]) => {
            const values = await useFactory(...dependencies);
            assertSettings(values);
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
    throw new Error(`useFactory: expected an object with settings, not ${typeof values}`);
  }
  if (!(values.settings instanceof Settings)) {
    throw new Error('settings: expected the result of loadSettings or createSettings');
  }
}

import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
} from '@nestjs/common';
import { Settings } from './settings.js';

/** How the settings are created, like a factory provider of Nest. */
export interface SettingsFactory {
  /** The modules whose providers the factory injects. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly inject: readonly InjectionToken[];
  readonly useFactory: (...dependencies: never[]) => SettingsValues | Promise<SettingsValues>;
}

/** The values of a module that needs the settings alone. */
export interface SettingsValues {
  /** See `loadSettings`. */
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

/** @throws {Error} when a factory returned nothing, or no settings of `loadSettings`. */
export function assertSettings(values: Partial<SettingsValues> | null | undefined): void {
  if (typeof values !== 'object' || values === null) {
    throw new Error(`useFactory: expected an object with settings, not ${typeof values}`);
  }
  if (!(values.settings instanceof Settings)) {
    throw new Error('settings: expected the result of loadSettings or createSettings');
  }
}

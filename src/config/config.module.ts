import { Module, type DynamicModule } from '@nestjs/common';
import { Settings } from './settings.js';

/** Makes the settings injectable everywhere by their class token. */
@Module({})
export class ConfigModule {
  static register(settings: Settings): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
  }
}

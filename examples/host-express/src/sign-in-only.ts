import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule, RedactionModule, type Settings } from '@deal-sets/service';
import { NotesModule } from './notes.js';
import { validation } from './validation.js';

/**
 * A second application of the shop, which serves only the notes. It imports sign-in and redaction
 * without `DealSetsModule`, so it has no endpoints of the deal sets.
 */
@Module({})
export class SignInOnlyModule {
  static register(settings: Settings): DynamicModule {
    return {
      module: SignInOnlyModule,
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url: settings.database.url,
          installExtensions: false,
          autoLoadEntities: true,
          // Keeps the example short. An application in production runs migrations instead.
          synchronize: true,
        }),
        AuthModule.forRoot({ settings }),
        RedactionModule.forRoot(),
        NotesModule,
      ],
      providers: [validation],
    };
  }
}

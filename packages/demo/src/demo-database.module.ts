import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AssistantGrant, Buyer, BuyerSession } from 'deal-sets/entities';

/** Name of the demo's own connection, which writes; the service's own only read. */
export const DEMO_DATABASE = 'demo';

/** Repositories of sessions and approvals, for the pages that make and end them. */
@Global()
@Module({})
export class DemoDatabaseModule {
  static register(url: string): DynamicModule {
    return {
      module: DemoDatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          name: DEMO_DATABASE,
          type: 'postgres',
          url,
          applicationName: 'deal-sets demo',
          entities: [AssistantGrant, Buyer, BuyerSession],
          installExtensions: false,
          logging: false,
        }),
        TypeOrmModule.forFeature([AssistantGrant, BuyerSession], DEMO_DATABASE),
      ],
      exports: [TypeOrmModule],
    };
  }
}

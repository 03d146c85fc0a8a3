import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { overrideProviders, type Override } from '../kernel/provider-override.js';
import { ReadDatabase } from '../database/read-database.js';
import { Log } from '../observability/logger.js';
import { ResponseSerializer } from '../response-shape/response-serializer.js';
import { Additions, type DealSetsAdditions } from './additions/additions.js';
import { DealSetsApi } from './deal-sets.api.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { FeedMetrics } from './feed-metrics.js';
import { DealSetQueries } from './queries/deal-set-queries.js';
import { PostgresDealSetQueries } from './queries/postgres-deal-set-queries.js';
import { ListingRedaction } from './redaction/listing-redaction.js';
import type { RedactionRule } from './redaction/redaction-rule.js';

/** The parts of the feature that a team may fill. */
export interface DealSetsModuleOptions extends DealSetsAdditions {
  readonly queries?: Override<DealSetQueries>;
  readonly redactionRules?: readonly RedactionRule[];
  /** Modules whose providers the parts ask for. */
  readonly imports?: ModuleMetadata['imports'];
}

/** The feature. Global, so that the modules of a team can ask for `DealSetsApi`. */
@Module({})
export class DealSetsModule {
  /** @param services the modules that export the admission and the serializer. */
  static register(options: DealSetsModuleOptions, ...services: DynamicModule[]): DynamicModule {
    return {
      module: DealSetsModule,
      global: true,
      imports: [...services, ...(options.imports ?? [])],
      controllers: [DealSetsController],
      providers: [
        ...overrideProviders(DealSetQueries, options.queries, PostgresDealSetQueries),
        {
          provide: Additions,
          useFactory: (database: ReadDatabase, serializer: ResponseSerializer, log: Log) =>
            new Additions(
              options,
              database,
              new ListingRedaction(options.redactionRules ?? []),
              serializer,
              log,
            ),
          inject: [ReadDatabase, ResponseSerializer, Log],
        },
        DealSetsService,
        DealSetsApi,
        FeedMetrics,
      ],
      exports: [DealSetsApi],
    };
  }
}

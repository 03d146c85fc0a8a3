import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { overrideProviders, type Override } from '../kernel/provider-override.js';
import { DealSetsApi } from './deal-sets.api.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { FeedMetrics } from './feed-metrics.js';
import { DealSetReader } from './reader/deal-set-reader.js';
import { PostgresDealSetReader } from './reader/postgres-deal-set-reader.js';
import { ListingRedaction } from './redaction/listing-redaction.js';
import type { RedactionRule } from './redaction/redaction-rule.js';

/** The parts of the feature that a team may fill. */
export interface DealSetsModuleOptions {
  readonly reader?: Override<DealSetReader>;
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
        ...overrideProviders(DealSetReader, options.reader, PostgresDealSetReader),
        { provide: ListingRedaction, useValue: new ListingRedaction(options.redactionRules ?? []) },
        DealSetsService,
        DealSetsApi,
        FeedMetrics,
      ],
      exports: [DealSetsApi],
    };
  }
}

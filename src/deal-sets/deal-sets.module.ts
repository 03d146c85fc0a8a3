import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { FeedMetrics } from './feed-metrics.js';
import { DealSetReader } from './reader/deal-set-reader.js';
import { PostgresDealSetReader } from './reader/postgres-deal-set-reader.js';

/** The parts of the feature that a team may fill. */
export interface DealSetsParts {
  readonly reader?: Seam<DealSetReader>;
  /** Modules whose providers the parts ask for. */
  readonly imports?: ModuleMetadata['imports'];
}

@Module({})
export class DealSetsModule {
  static register(parts: DealSetsParts = {}): DynamicModule {
    return {
      module: DealSetsModule,
      imports: parts.imports ?? [],
      controllers: [DealSetsController],
      providers: [
        seamProvider(DealSetReader, parts.reader, PostgresDealSetReader),
        DealSetsService,
        FeedMetrics,
      ],
    };
  }
}

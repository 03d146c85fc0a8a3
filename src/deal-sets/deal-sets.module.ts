import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { DealSetsApi } from './deal-sets.api.js';
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
  /** @param admission the modules of rollout, rate limits and response shapes, for `DealSetsApi`. */
  static register(
    parts: DealSetsParts = {},
    admission: readonly DynamicModule[] = [],
  ): DynamicModule {
    return {
      module: DealSetsModule,
      // Any module may ask for DealSetsApi.
      global: true,
      imports: [...(parts.imports ?? []), ...admission],
      controllers: [DealSetsController],
      providers: [
        seamProvider(DealSetReader, parts.reader, PostgresDealSetReader),
        DealSetsService,
        DealSetsApi,
        FeedMetrics,
      ],
      exports: [DealSetsApi],
    };
  }
}

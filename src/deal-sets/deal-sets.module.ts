import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type Provider,
} from '@nestjs/common';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { FeedMetrics } from './feed-metrics.js';
import { DealSetReader } from './reader/deal-set-reader.js';
import { PostgresDealSetReader } from './reader/postgres-deal-set-reader.js';
import { AnswerWriter } from './redaction/answer-writer.js';
import { RedactionInterceptor } from './redaction/redaction.interceptor.js';
import type { RedactionRule } from './redaction/redaction-rule.js';

/** The parts of the feature that a team may fill. */
export interface DealSetsParts {
  readonly reader?: Seam<DealSetReader>;
  /** Each names further fields to hide; together they hide the union. */
  readonly redactionRules?: readonly Seam<RedactionRule>[];
  /** Modules whose providers the parts ask for. */
  readonly imports?: ModuleMetadata['imports'];
}

@Module({})
export class DealSetsModule {
  static register(parts: DealSetsParts = {}): DynamicModule {
    const rules = (parts.redactionRules ?? []).map((rule, index) => {
      const token: InjectionToken<RedactionRule> = `redaction-rule-${index}`;
      return { token, provider: seamProvider(token, rule, rule) };
    });
    const answerWriter: Provider = {
      provide: AnswerWriter,
      useFactory: (...made: RedactionRule[]) => new AnswerWriter(made),
      inject: rules.map((rule) => rule.token),
    };
    return {
      module: DealSetsModule,
      imports: parts.imports ?? [],
      controllers: [DealSetsController],
      providers: [
        seamProvider(DealSetReader, parts.reader, PostgresDealSetReader),
        ...rules.map((rule) => rule.provider),
        answerWriter,
        DealSetsService,
        FeedMetrics,
        RedactionInterceptor,
      ],
    };
  }
}

import { DisplayTexts, MetricsRegistry, SessionStore } from '@deal-sets/service';
import type { ServiceOptions } from '@deal-sets/service/standalone';
import { register, type Registry } from 'prom-client';
import { AnswersModule } from './answers.js';
import { BriefModule } from './brief.js';
import { flags } from './flags.js';
import { WebsiteLanguages } from './languages.js';
import { AcmeMetrics } from './metrics.js';
import { noListPrices } from './no-list-prices.js';
import { NotesModule } from './notes.js';
import { acmeScore } from './scores.js';
import { sharedCounters } from './shared-counters.js';
import { WebsiteSessions } from './website-sessions.js';

/** The external systems that Acme's providers use, and the registry of its metrics. */
export interface AcmeOptions {
  /** The address of the website, which stores the sessions and the locales of buyers. */
  readonly websiteUrl: string;
  /** The Redis server for rate-limit counters. If undefined, each instance counts separately. */
  readonly redisUrl?: string | undefined;
  /** The registry of Acme's own metrics. Default: that of prom-client. */
  readonly registry?: Registry;
}

/** Returns Acme's options for the service: for `startService` or `DealSetsModule.forRoot`. */
export function options({ websiteUrl, redisUrl, registry = register }: AcmeOptions) {
  return {
    imports: [NotesModule, BriefModule, AnswersModule],
    providers: [
      { provide: SessionStore, useFactory: () => new WebsiteSessions(websiteUrl) },
      { provide: DisplayTexts, useFactory: () => new WebsiteLanguages(websiteUrl) },
      { provide: MetricsRegistry, useFactory: () => new AcmeMetrics(registry) },
      sharedCounters(redisUrl),
      flags,
    ],
    fields: { row: { acmeScore } },
    redactionRules: [noListPrices],
    throttlers: [{ name: 'notes', limit: 30, ttl: 60_000 }],
  } satisfies ServiceOptions;
}

import { SessionStore, DisplayTexts } from '@deal-sets/service';
import type { ServiceOptions } from '@deal-sets/service/standalone';
import { BriefModule } from './brief.js';

import { GermanTexts } from './german-texts.js';
import { noListPrices } from './no-list-prices.js';
import { NotesModule } from './notes.js';
import { acmeScore } from './scores.js';
import { sharedCounters } from './shared-counters.js';
import { tracedReads } from './traced-reads.js';
import { WebsiteSessions } from './website-sessions.js';

/**
 * Returns Acme's options for the service, to pass to `startService` or `DealSetsModule.forRoot`.
 *
 * @param sessionsUrl the address of the website's session service.
 * @param redisUrl the Redis server for rate-limit counters. If undefined, each instance counts
 *   separately.
 */
export function options(sessionsUrl: string, redisUrl?: string) {
  return {
    imports: [NotesModule, BriefModule],
    providers: [
      { provide: SessionStore, useFactory: () => new WebsiteSessions(sessionsUrl) },
      sharedCounters(redisUrl),
      { provide: DisplayTexts, useClass: GermanTexts },
      tracedReads,
    ],
    fields: { row: { acmeScore } },
    redactionRules: [noListPrices],
    throttlers: [{ name: 'notes', limit: 30, ttl: 60_000 }],
  } satisfies ServiceOptions;
}

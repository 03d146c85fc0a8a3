import { RateLimitStorage, SessionStore, DisplayTexts } from '@deal-sets/service';
import type { ServiceOptions } from '@deal-sets/service/standalone';
import { BriefModule } from './brief.js';
import { AcmeCounters } from './counters.js';
import { GermanTexts } from './german-texts.js';
import { noListPrices } from './no-list-prices.js';
import { NotesModule } from './notes.js';
import { acmeScore } from './scores.js';
import { tracedReads } from './traced-reads.js';
import { WebsiteSessions } from './website-sessions.js';

/**
 * Returns Acme's options for the service, to pass to `startService` or `DealSetsModule.forRoot`.
 *
 * @param sessionsUrl the address of the website's session service.
 */
export function options(sessionsUrl: string) {
  return {
    imports: [NotesModule, BriefModule],
    providers: [
      { provide: SessionStore, useFactory: () => new WebsiteSessions(sessionsUrl) },
      { provide: RateLimitStorage, useClass: AcmeCounters },
      { provide: DisplayTexts, useClass: GermanTexts },
      tracedReads,
    ],
    fields: { row: { acmeScore } },
    redactionRules: [noListPrices],
    throttlers: [{ name: 'notes', limit: 30, ttl: 60_000 }],
  } satisfies ServiceOptions;
}

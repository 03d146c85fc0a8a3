import type { DealSetsExtensions } from 'deal-sets';
import { german } from './german.js';
import { noListPrices } from './no-list-prices.js';
import { NotesModule } from './notes.js';
import { acmeScore } from './scores.js';
import { WebsiteSessions } from './website-sessions.js';

export function extensions(sessionsUrl: string): DealSetsExtensions {
  return {
    compatibility: '^2.0',
    sessionStore: { useFactory: () => new WebsiteSessions(sessionsUrl) },
    redactionRules: [noListPrices],
    rateClasses: { notes: { limit: 30, windowSeconds: 60 } },
    fields: { row: { acmeScore } },
    rowOrder: ({ acmeScore: score }) => -Number(score ?? 0),
    displayTexts: german,
    imports: [NotesModule],
  };
}

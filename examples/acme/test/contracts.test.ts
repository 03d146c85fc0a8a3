import { randomUUID } from 'node:crypto';
import {
  displayTextsContract,
  ownFieldContract,
  redactionRuleContract,
  rowOrderContract,
  sessionStoreContract,
  startHungServer,
} from 'deal-sets/testing';
import { afterAll, describe, it } from 'vitest';
import type { OwnFieldRequest } from 'deal-sets';
import { extensions } from '../src/extensions.js';
import { german } from '../src/german.js';
import { noListPrices } from '../src/no-list-prices.js';
import { acmeScore } from '../src/scores.js';
import { WebsiteSessions } from '../src/website-sessions.js';
import { startSessionService } from './session-service.js';

const service = await startSessionService();
afterAll(() => service.stop());

describe('the sessions of the website', () => {
  const suite = sessionStoreContract({
    store: () => new WebsiteSessions(service.url),
    put: async (tokenSha256, { expiresAt }) => {
      const buyerId = randomUUID();
      service.sessions.set(tokenSha256.toString('hex'), { buyerId, expiresAt });
      return { buyerId };
    },
    revoke: async (tokenSha256) => void service.sessions.delete(tokenSha256.toString('hex')),
    hung: async () => {
      const { url, ...server } = await startHungServer();
      return { part: new WebsiteSessions(url), ...server };
    },
  });
  for (const { name, run } of suite) it(name, run);
});

describe('the rule about list prices', () => {
  const { hide, from } = noListPrices;
  const suite = redactionRuleContract({ hiddenFrom: (principal) => (from(principal) ? hide : []) });
  for (const { name, run } of suite) it(name, run);
});

describe('the score of a row', () => {
  const request: OwnFieldRequest = {
    ids: ['row-1', 'row-2'],
    principal: { type: 'session', buyerId: randomUUID(), scopes: new Set() },
    query: async <Row>() => [{ id: 'row-1', score: 7 }] as Row[],
  };
  // The service cancels the statement; the field makes no call of its own.
  const suite = ownFieldContract({ field: () => acmeScore, request: () => request, hung: null });
  for (const { name, run } of suite) it(name, run);
});

describe('the order of rows and the texts', () => {
  const order = extensions(service.url).rowOrder ?? (() => 0);
  const suite = [...rowOrderContract({ order }), ...displayTextsContract({ texts: german })];
  for (const { name, run } of suite) it(name, run);
});

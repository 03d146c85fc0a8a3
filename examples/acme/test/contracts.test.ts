import { randomUUID } from 'node:crypto';
import { redactionRuleContract, sessionStoreContract } from 'deal-sets/testing';
import { afterAll, describe, it } from 'vitest';
import { noListPrices } from '../src/no-list-prices.js';
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
  });
  for (const { name, run } of suite) it(name, run);
});

describe('the rule about list prices', () => {
  const { hide, from } = noListPrices;
  const suite = redactionRuleContract({ hiddenFrom: (principal) => (from(principal) ? hide : []) });
  for (const { name, run } of suite) it(name, run);
});

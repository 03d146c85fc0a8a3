import { randomUUID } from 'node:crypto';
import {
  customFieldContract,
  rateLimitStorageContract,
  redactionRuleContract,
  sessionStoreContract,
  startHungServer,
  displayTextsContract,
  rolloutContract,
  type TestFlag,
} from '@deal-sets/testing';
import { afterAll, describe, it } from 'vitest';
import type { CustomFieldRequest } from '@deal-sets/service';
import {
  OpenFeature,
  TypedInMemoryProvider,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { AcmeCounters } from '../src/counters.js';
import { OpenFeatureRollout } from '../src/flags.js';
import { WebsiteLanguages } from '../src/languages.js';
import { noListPrices } from '../src/no-list-prices.js';
import { acmeScore } from '../src/scores.js';
import { WebsiteSessions } from '../src/website-sessions.js';
import { startSessionService } from './session-service.js';

const service = await startSessionService();
afterAll(() => service.stop());

describe('the sessions of the website', () => {
  const suite = sessionStoreContract({
    store: () => new WebsiteSessions(service.url),
    put: async ({ expiresAt }) => {
      const [buyerId, cookieValue] = [randomUUID(), randomUUID()];
      service.sessions.set(cookieValue, { buyerId, expiresAt });
      return { buyerId, cookieValue };
    },
    revoke: async (cookieValue) => void service.sessions.delete(cookieValue),
    hung: async () => {
      const { url, ...server } = await startHungServer();
      return { provider: new WebsiteSessions(url), ...server };
    },
  });
  for (const { name, run } of suite) it(name, run);
});

describe('the counters', () => {
  const counters = new AcmeCounters();
  const suite = rateLimitStorageContract({ storage: () => counters, hung: null });
  for (const { name, run } of suite) it(name, run);
});

describe('the rule about list prices', () => {
  for (const { name, run } of redactionRuleContract({ rule: noListPrices })) it(name, run);
});

describe('flags from OpenFeature', () => {
  const flagOf = (flag: TestFlag) => ({
    variants: { on: true, off: false },
    defaultVariant: 'off' as const,
    disabled: false,
    contextEvaluator: ({ targetingKey }: EvaluationContext) => {
      const isOn = typeof flag === 'string' ? flag === 'on' : flag.buyerId === targetingKey;
      return isOn ? ('on' as const) : ('off' as const);
    },
  });
  const suite = rolloutContract({
    withFlags: async ({ list, get }) => {
      const flags = { 'deal-sets-list': flagOf(list), 'deal-sets-get': flagOf(get) };
      await OpenFeature.setProviderAndWait('contract', new TypedInMemoryProvider(flags));
      return new OpenFeatureRollout(OpenFeature.getClient('contract'));
    },
    hung: null,
  });
  for (const { name, run } of suite) it(name, run);
});

describe('the score of a row', () => {
  const request: CustomFieldRequest = {
    ids: ['row-1', 'row-2'],
    principal: { type: 'session', buyerId: randomUUID() },
    query: async <Row>() => [{ id: 'row-1', score: 7 }] as Row[],
  };
  // `hung` is null because the field only runs a statement, which the service cancels.
  const suite = customFieldContract({ field: () => acmeScore, request: () => request, hung: null });
  for (const { name, run } of suite) it(name, run);
});

describe('the texts in German and in English', () => {
  const buyerId = randomUUID();
  service.locales.set(buyerId, 'de-DE');
  const suite = displayTextsContract({
    // The other buyers of the suite have no locale.
    texts: () => new WebsiteLanguages(service.url),
    principals: [{ type: 'session', buyerId }],
    hung: async () => {
      const { url, ...server } = await startHungServer();
      return { provider: new WebsiteLanguages(url), ...server };
    },
  });
  for (const { name, run } of suite) it(name, run);
});

import { randomUUID } from 'node:crypto';
import {
  customFieldContract,
  rateLimitStorageContract,
  redactionRuleContract,
  sessionStoreContract,
  startHungServer,
  displayTextsContract,
  localeResolverContract,
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
import { TextsOfTwoMarkets, WebsiteLocales } from '../src/languages.js';
import { noListPrices } from '../src/no-list-prices.js';
import { replacedValues } from '../src/replaced-values.js';
import { acmeScore } from '../src/scores.js';
import { WebsiteSessions } from '../src/website-sessions.js';
import { startSessionService } from './session-service.js';

const service = await startSessionService();
afterAll(() => service.stop());

describe('the sessions of the website', () => {
  const suite = sessionStoreContract({
    store: () => new WebsiteSessions(service.url),
    put: async (cookieValue, { expiresAt }) => {
      const buyerId = randomUUID();
      service.sessions.set(cookieValue, { buyerId, expiresAt });
      return { buyerId };
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

describe('the rule that replaces values', () => {
  const values = {
    'Row.statusLabel': ['Price in writing', 'Beendet'],
    'Row.acmeScore': [0, 74, 100],
  };
  const suite = redactionRuleContract({ rule: replacedValues, values });
  for (const { name, run } of suite) it(name, run);
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

describe('the locales of the website', () => {
  const suite = localeResolverContract({
    resolver: () => new WebsiteLocales(service.url),
    hung: async () => {
      const { url, ...server } = await startHungServer();
      return { provider: new WebsiteLocales(url), ...server };
    },
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

describe.each(['de-DE', 'en-US'])('the texts in %s', (locale) => {
  const suite = displayTextsContract({ texts: new TextsOfTwoMarkets(), locales: [locale] });
  for (const { name, run } of suite) it(name, run);
});

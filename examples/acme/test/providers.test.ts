import {
  ApprovedAssistants,
  AssistantAuthenticator,
  GrantStore,
  MetricsRegistry,
  PostgresGrantStore,
  RequestObserver,
  type ObservedRequest,
  type StoredGrant,
} from '@deal-sets/service';
import { sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { Counter, register } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flagProvider, flags } from '../src/flags.js';
import { AcmeMetrics } from '../src/metrics.js';
import { OpaqueTokens } from '../src/opaque-tokens.js';
import { startAuthorizationServer } from './authorization-server.js';
import { freePort } from './free-port.js';

const world = sampleWorld();
const asked: string[] = [];
const seen: ObservedRequest[] = [];

/** Records each look-up of an approval and delegates to the service's own store. */
class AuditedGrants extends GrantStore {
  constructor(private readonly standard: PostgresGrantStore) {
    super();
  }

  override find(
    buyerId: string,
    clientId: string,
    signal: AbortSignal,
  ): Promise<StoredGrant | null> {
    asked.push(clientId);
    return this.standard.find(buyerId, clientId, signal);
  }
}

const { buyerId, clientId } = world;
const server = await startAuthorizationServer([clientId, 'never-approved']);
const managementPort = await freePort();
// Without `registers`, prom-client adds a metric to its own registry.
const visits = new Counter({ name: 'acme_visits_total', help: 'Visits of the website' });
let service: TestService;
let list: string;

beforeAll(async () => {
  service = await startTestService({
    world: world.records,
    settings: { MANAGEMENT_PORT: String(managementPort) },
    hostOptions: {
      providers: [
        {
          provide: AssistantAuthenticator,
          useFactory: (approved: ApprovedAssistants) =>
            new OpaqueTokens(approved, server.introspection),
          inject: [ApprovedAssistants],
        },
        {
          provide: GrantStore,
          useFactory: (standard: PostgresGrantStore) => new AuditedGrants(standard),
          inject: [PostgresGrantStore],
        },
        flags,
        {
          provide: RequestObserver,
          useValue: { observe: (request: ObservedRequest) => void seen.push(request) },
        },
        { provide: MetricsRegistry, useFactory: () => new AcmeMetrics(register) },
      ],
    },
  });
  list = `${service.url}/api/v1/deal-sets`;
}, 60_000);

afterAll(async () => {
  await service.stop();
  server.stop();
}, 30_000);

const statusOf = async (token: string) =>
  (await fetch(list, { headers: { authorization: `Bearer ${token}` } })).status;

it('accepts opaque tokens, and looks up the approval on each call', async () => {
  expect(await statusOf(await server.issue({ buyerId, clientId }))).toBe(200);
  const stranger = await server.issue({ buyerId, clientId: 'never-approved' });
  expect(await statusOf(stranger)).toBe(401);
  expect(await statusOf('unknown')).toBe(401);
  expect(asked).toEqual([clientId, 'never-approved']);
});

it('reports each request to the observer', async () => {
  expect(seen.map(({ status, code, principal }) => [status, code, principal?.type])).toEqual([
    [200, undefined, 'assistant'],
    [401, 'unauthenticated', undefined],
    [401, 'unauthenticated', undefined],
  ]);
});

it('serves its metrics beside those of the application', async () => {
  visits.inc();
  const response = await fetch(`http://127.0.0.1:${managementPort}/metrics`);
  const metrics = await response.text();
  expect(metrics).toContain('acme_visits_total 1');
  expect(metrics).toContain('deal_sets_rejected_credentials_total{reason="no_grant"} 1');
});

it('turns an endpoint off when OpenFeature has no flag for it', async () => {
  flagProvider.putConfiguration({});
  expect(await statusOf(await server.issue({ buyerId, clientId }))).toBe(404);
});

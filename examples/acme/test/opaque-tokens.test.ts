import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApprovedAssistants, AssistantAuthenticator } from '@deal-sets/service';
import {
  sampleWorld,
  startHungServer,
  startTestService,
  type TestService,
} from '@deal-sets/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpaqueTokens, type IntrospectionOptions } from '../src/opaque-tokens.js';
import { startAuthorizationServer } from './authorization-server.js';

const world = sampleWorld();
const { buyerId, clientId } = world;
const server = await startAuthorizationServer([clientId]);
/** The introspection options of the service in the current test. */
let introspection: IntrospectionOptions;
let service: TestService;

beforeAll(async () => {
  const useFactory = (approved: ApprovedAssistants): AssistantAuthenticator => ({
    authenticate: (request) => new OpaqueTokens(approved, introspection).authenticate(request),
  });
  service = await startTestService({
    world: world.records,
    hostOptions: {
      providers: [{ provide: AssistantAuthenticator, useFactory, inject: [ApprovedAssistants] }],
    },
  });
}, 120_000);

beforeEach(() => {
  introspection = server.introspection;
  server.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  server.stop();
}, 60_000);

/** Requests the list and returns the HTTP status, followed by the code if the request fails. */
async function list(token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/api/v1/deal-sets`, { headers });
  const { error } = (await response.json()) as { error?: { code: string } };
  return error ? `${response.status} ${error.code}` : String(response.status);
}

/** Redirects the introspection requests of this test to a server that uses the listener. */
async function introspectAt(listener: RequestListener) {
  const stub = createServer(listener).listen(0, '127.0.0.1');
  await once(stub, 'listening');
  const { port } = stub.address() as AddressInfo;
  introspection = { ...introspection, introspectionUrl: `http://127.0.0.1:${port}/` };
  return {
    stop: async () => {
      stub.closeAllConnections();
      stub.close();
      await once(stub, 'close');
    },
  };
}

describe('a token', { timeout: 60_000 }, () => {
  it('is accepted when an authenticated POST reports it as active', async () => {
    expect(await list(await server.issue({ buyerId, clientId }))).toBe('200');
    expect(server.requests).toEqual([
      { method: 'POST', contentType: expect.stringMatching(/^application\/x-www-form-urlencoded/) },
    ]);
  });

  it('is rejected as soon as it is revoked', async () => {
    const token = await server.issue({ buyerId, clientId });
    expect(await list(token)).toBe('200');
    await server.revoke(token);
    expect(await list(token)).toBe('401 unauthenticated');
  });

  it('is rejected when the authorization server did not issue it', async () => {
    expect(await list('unknown')).toBe('401 unauthenticated');
    expect(await list(await service.tokenFor(buyerId))).toBe('401 unauthenticated');
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['for another service', { audience: 'https://other.acme.example' }],
    ['bound to a key', { keyThumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' }],
    ['of a subject that is not a buyer', { buyerId: 'someone' }],
  ])('is rejected when it is %s', async (_title, options) => {
    const token = await server.issue({ buyerId, clientId, ...options });
    expect(await list(token)).toBe('401 unauthenticated');
  });

  it('is rejected when another issuer issued it', async () => {
    introspection = { ...introspection, issuer: 'https://login.acme.example' };
    const token = await server.issue({ buyerId, clientId });
    expect(await list(token)).toBe('401 unauthenticated');
  });

  it('is rejected when it is a refresh token', async () => {
    const token = await server.issueRefreshToken({ buyerId, clientId });
    expect(await list(token)).toBe('401 unauthenticated');
  });

  it('reads nothing without the scope', async () => {
    const token = await server.issue({ buyerId, clientId, scope: 'openid' });
    expect(await list(token)).toBe('403 insufficient_scope');
  });
});

describe('an introspection response', { timeout: 60_000 }, () => {
  const complete = {
    active: true,
    token_type: 'Bearer',
    iss: server.introspection.issuer,
    aud: [server.introspection.audience, 'https://other.acme.example'],
    sub: buyerId,
    client_id: clientId,
    scope: 'offers:read',
  };

  it.each([
    ['200', {}],
    ['401 unauthenticated', { active: false }],
    ['401 unauthenticated', { token_type: undefined }],
    ['401 unauthenticated', { cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } }],
    ['401 unauthenticated', { iss: undefined }],
    ['401 unauthenticated', { aud: undefined }],
    ['401 unauthenticated', { sub: undefined }],
    ['401 unauthenticated', { client_id: undefined }],
    ['403 insufficient_scope', { scope: undefined }],
    ['503 auth_unverifiable', { active: 'true' }],
  ])('leads to %s with %o', async (expected, members) => {
    const stub = await introspectAt((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...complete, ...members }));
    });
    try {
      expect(await list('any')).toBe(expected);
    } finally {
      await stub.stop();
    }
  });
});

describe('while the authorization server', { timeout: 60_000 }, () => {
  it('cannot be reached, calls fail with 503 and no token counts as invalid', async () => {
    const stub = await introspectAt(() => undefined);
    await stub.stop();
    expect(await list('any')).toBe('503 auth_unverifiable');
  });

  it('rejects the credentials of the service, calls fail with 503 and no token counts as invalid', async () => {
    introspection = { ...introspection, clientSecret: 'another-secret-of-the-same-length' };
    const token = await server.issue({ buyerId, clientId });
    expect(await list(token)).toBe('503 auth_unverifiable');
  });

  it('does not respond, the call ends with the sign-in', async () => {
    const hung = await startHungServer();
    try {
      introspection = { ...introspection, introspectionUrl: hung.url };
      expect(await list('any')).toBe('503 auth_unverifiable');
      await vi.waitFor(() => expect(hung.openCalls()).toBe(0), { timeout: 30_000 });
    } finally {
      hung.stop();
    }
  });

  it('does not complete its response, the call ends with the sign-in', async () => {
    let open = 0;
    const torn = await introspectAt((_request, response) => {
      open += 1;
      response.once('close', () => (open -= 1));
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"active":');
    });
    try {
      expect(await list('any')).toBe('503 auth_unverifiable');
      await vi.waitFor(() => expect(open).toBe(0), { timeout: 30_000 });
    } finally {
      await torn.stop();
    }
  });
});

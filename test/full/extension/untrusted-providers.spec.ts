import { UnauthorizedException, type Provider } from '@nestjs/common';
import {
  ApprovedAssistants,
  AssistantAuthenticator,
  EnglishDisplayTexts,
  GrantStore,
  JwtAuthenticator,
  PostgresGrantStore,
  PostgresSessionStore,
  RateLimitStorage,
  Rollout,
  SessionStore,
  SettingsRollout,
  DisplayTexts,
  type Principal,
  type SignInRequest,
} from '../../../src/index.js';
import type { DealSetResponse } from '../../../src/deal-sets/dto/responses.js';
import { InProcessStorage } from '../../../src/rate-limit/in-process-storage.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const world = smallWorld();
const GET = world.getPath;
const CREDENTIAL = { token: 'any-credential-of-the-team' };

type Method = (...args: never[]) => unknown;
/**
 * The behavior of the host application's providers in the current test. The defaults, which they
 * wrap, do everything else.
 */
const own = new Map<unknown, Method>();
const called = new Set<unknown>();

const wrapping = (provide: unknown, shipped: unknown, method: string): Provider => ({
  provide: provide as never,
  useFactory: (standard: Record<string, Method>) => {
    const original = standard[method]!.bind(standard);
    const wrapper = Object.create(standard) as Record<string, Method>;
    wrapper[method] = (...args) => {
      called.add(provide);
      return (own.get(provide) ?? original)(...args);
    };
    return wrapper;
  },
  inject: [shipped as never],
});

let service: TestService;
/** The same application with limits that what hangs reaches. */
let impatient: TestService;
let assistant: Credential;
beforeAll(async () => {
  const providers = [
    wrapping(AssistantAuthenticator, JwtAuthenticator, 'authenticate'),
    wrapping(SessionStore, PostgresSessionStore, 'find'),
    wrapping(GrantStore, PostgresGrantStore, 'find'),
    wrapping(Rollout, SettingsRollout, 'isOn'),
    wrapping(DisplayTexts, EnglishDisplayTexts, 'forCaller'),
    wrapping(RateLimitStorage, InProcessStorage, 'increment'),
  ];
  service = await TestService.start({ hostOptions: { providers } });
  const { database, issuer } = service;
  const limits = { signInMs: 500, flagMs: 500 };
  impatient = await TestService.start({ database, issuer, hostOptions: { providers }, limits });
  await load(service.database, world.records);
  assistant = await service.tokenFor(world.buyer.id);
});
afterEach(() => own.clear());
afterAll(async () => {
  await impatient.stop();
  expect(service.logLines.join('')).not.toContain('Redwood');
  await service.stop();
});

const rowSeenBy = async (credential: Credential): Promise<object | undefined> =>
  (await service.get<DealSetResponse>(GET, credential)).body.data.ranked[0]?.rows[0];

const principal = {
  type: 'assistant',
  buyerId: world.buyer.id,
  clientId: 'assistant-1',
  scopes: new Set(['offers:read']),
};
/** A method of an authenticator that returns this principal for any credential. */
const returning = (over: object) => () => Promise.resolve({ ...principal, ...over });

it('lets a provider of a host application wrap the default, which is injected by its own name', async () => {
  expect((await service.get(GET, world.session)).status).toBe(200);
  expect((await service.get(GET, { cookie: 'a-value-of-no-session' })).status).toBe(401);
  expect((await service.get(GET, assistant)).status).toBe(200);
  expect(called).toEqual(
    new Set([
      AssistantAuthenticator,
      SessionStore,
      GrantStore,
      Rollout,
      DisplayTexts,
      RateLimitStorage,
    ]),
  );
});

it.each([
  [SessionStore, world.session],
  [GrantStore, undefined],
  [AssistantAuthenticator, undefined],
])('names %p in the log when it fails', async (port, credential) => {
  own.set(port, () => Promise.reject(new TypeError('Redwood')));
  const response = await service.get(LIST, credential ?? assistant);
  expect([response.status, response.code]).toEqual([503, 'auth_unverifiable']);
  const id = JSON.stringify(response.headers['service-request-id']);
  await eventually(() => {
    const line = service.logLines.find((text) => text.includes(`"id":${id}`)) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ port: port.name, error: 'TypeError' });
  });
});

describe('a host application’s authenticator of assistants', () => {
  it.each([
    [200, {}],
    [403, { scopes: ['other'] }],
    [401, { clientId: 'not-approved' }],
  ])('gets %d through ApprovedAssistants for the verified value %j', async (status, over) => {
    const verified = { buyerId: world.buyer.id, clientId: 'assistant-1', scopes: ['offers:read'] };
    const approved = service.app.get(ApprovedAssistants, { strict: false });
    own.set(AssistantAuthenticator, ({ signal }: SignInRequest) =>
      approved.findPrincipal({ ...verified, ...over }, signal),
    );
    expect((await service.get(GET, CREDENTIAL)).status).toBe(status);
  });

  it('gets every value of a repeated header, and no resource outside /mcp', async () => {
    const seen: Partial<SignInRequest>[] = [];
    own.set(AssistantAuthenticator, (request: SignInRequest) => {
      seen.push(request);
      return null;
    });
    const authorization = ['Bearer a', 'Bearer b'];
    // Node sends a list as repeated headers.
    const headers = { authorization: authorization as unknown as string };
    expect((await service.call(LIST, { headers })).status).toBe(401);
    expect(seen).toEqual([
      {
        headers: expect.objectContaining({ authorization }) as object,
        signal: expect.any(AbortSignal) as AbortSignal,
        resource: undefined,
      },
    ]);
  });

  it.each<[string, Method, number]>([
    ['throws UnauthorizedException', () => Promise.reject(new UnauthorizedException()), 401],
    ['returns null', () => Promise.resolve(null), 401],
    ['returns no principal', () => true, 401],
    ['returns a session', returning({ type: 'session' }), 401],
    ['names no buyer', returning({ buyerId: 'anna' }), 503],
    ['names no assistant', returning({ clientId: '' }), 503],
    ['names a list of scopes', returning({ scopes: [] }), 503],
    [
      'throws at once',
      () => {
        throw new Error('Redwood');
      },
      503,
    ],
    ['throws anything else', () => Promise.reject(new Error('Redwood')), 503],
  ])('admits no one when it %s', async (_what, authenticate, status) => {
    own.set(AssistantAuthenticator, authenticate);
    const response = await service.get(GET, CREDENTIAL);
    const code = status === 401 ? 'unauthenticated' : 'auth_unverifiable';
    expect([response.status, response.code]).toEqual([status, code]);
    expect(response.text).not.toContain('Redwood');
  });

  it('admits no one when it does not return within the limit', async () => {
    own.set(AssistantAuthenticator, () => new Promise(() => undefined));
    const response = await impatient.get(GET, CREDENTIAL);
    expect([response.status, response.code]).toEqual([503, 'auth_unverifiable']);
  });

  it('treats a missing value as the stricter one', async () => {
    own.set(AssistantAuthenticator, returning({}));
    expect(await rowSeenBy(CREDENTIAL)).not.toHaveProperty('isVerifiedPartner');
  });
});

describe('an incomplete value of a host application’s store', () => {
  const expiresAt = new Date(Date.now() + 86_400_000);
  it.each<[number, object]>([
    [200, { expiresAt, revokedAt: null }],
    [401, { revokedAt: null }],
    [401, { expiresAt }],
    [401, { expiresAt: '2999-01-01T00:00:00Z', revokedAt: null }],
  ])('is treated as the stricter one for a session: %d for %j', async (status, session) => {
    own.set(SessionStore, () => Promise.resolve({ buyerId: world.buyer.id, ...session }));
    expect((await service.get(LIST, world.session)).status).toBe(status);
  });

  it('has its reason in the log when a session names no buyer', async () => {
    const linesBefore = service.logLines.length;
    own.set(SessionStore, () =>
      Promise.resolve({ buyerId: 'Redwood', expiresAt, revokedAt: null }),
    );
    expect((await service.get(LIST, world.session)).status).toBe(503);
    await eventually(() => {
      const lines = service.logLines.slice(linesBefore).map((line): unknown => JSON.parse(line));
      expect(lines).toContainEqual(
        expect.objectContaining({
          code: 'auth_unverifiable',
          error: 'InvalidPrincipalError',
          errorCode: 'BUYER_ID_NOT_UUID',
        }),
      );
    });
  });

  it.each<[number, object]>([
    [200, { scopes: ['offers:read'] }],
    [503, {}],
    [503, { scopes: 'offers:read' }],
    [403, { scopes: [] }],
  ])('is treated as the stricter one for a grant: %d for %j', async (status, grant) => {
    own.set(GrantStore, () => Promise.resolve({ ...grant, isHosted: false }));
    expect((await service.get(GET, assistant)).status).toBe(status);
  });

  it('is treated as hosted, and as without granted changes', async () => {
    let current: object = { scopes: ['offers:read'], isHosted: false };
    own.set(GrantStore, () => Promise.resolve(current));
    expect(await rowSeenBy(assistant)).toHaveProperty('isVerifiedPartner');
    current = { scopes: ['offers:read'] };
    expect(await rowSeenBy(assistant)).not.toHaveProperty('isVerifiedPartner');
    const page = await service.get<{ data: object[] }>(
      `${LIST}?since=1970-01-01T00:00:00Z`,
      assistant,
    );
    expect(page.body.data[0]).not.toHaveProperty('changes');
  });
});

describe('a host application’s rollout', () => {
  it('cannot change the principal that it receives', async () => {
    const failures: string[] = [];
    own.set(Rollout, (_flag: string, received: Principal): boolean => {
      try {
        Object.assign(received, { type: 'session' });
      } catch (error) {
        failures.push((error as Error).name);
      }
      return true;
    });
    const { body } = await service.get<DealSetResponse>(GET, assistant);
    expect(body.data.search).toEqual({ buyerZip: null, radiusMiles: null });
    expect((await service.get(GET, world.session)).status).toBe(200);
    expect(failures).toEqual(['TypeError', 'TypeError']);
  });

  it('has its signal aborted when it is late, and the endpoint is off', async () => {
    let aborted = false;
    own.set(Rollout, (_flag: string, _principal: Principal, signal: AbortSignal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise(() => undefined);
    });
    // A sign-in may reach its limit, which is as short.
    await eventually(async () =>
      expect((await impatient.get(LIST, world.session)).status).toBe(404),
    );
    expect(aborted).toBe(true);
  });
});

describe('look-ups of a host application’s store that hang', () => {
  it('have their signals aborted at their own limit, and do not stay open', async () => {
    let open = 0;
    let most = 0;
    own.set(SessionStore, (_cookieValue: string, signal: AbortSignal) => {
      open += 1;
      most = Math.max(most, open);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          open -= 1;
          reject(new Error('aborted'));
        });
      });
    });
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => impatient.get(LIST, world.session)),
    );
    expect(new Set(responses.map(({ code }) => code))).toEqual(new Set(['auth_unverifiable']));
    expect(most).toBeGreaterThan(1);
    await eventually(() => expect(open).toBe(0));
  });
});

import { connect } from 'node:net';
import { Injectable, Module, type Provider, type Type } from '@nestjs/common';
import {
  AppError,
  AssistantAuthenticator,
  DealSetsApi,
  DealSetsModule,
  EnglishTexts,
  GrantStore,
  MetricsRegistry,
  type MetricsSource,
  RateLimitStorage,
  RequestObserver,
  Rollout,
  SessionStore,
  Settings,
  DisplayTexts,
  type ObservedRequest,
  type StoredSession,
  type Texts,
} from '../../../src/index.js';
import type { DealSetResponse } from '../../../src/deal-sets/dto/responses.js';
import { smallWorld } from '../../builders/index.js';
import { Metrics } from '../../../src/observability/metrics.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import type { HostOptions } from '../../setup/test-service.js';
import { hostSuite } from './with-host.js';

const world = smallWorld();
const { withHost } = hostSuite(world);
const GET = world.getPath;
const COOKIE = 'a.signed.value-of-the-website';

/**
 * State that the host application keeps for itself; its own module provides it to its providers.
 */
@Injectable()
class Directory {
  readonly calls: string[] = [];
  note<T>(call: string, result: T): T {
    this.calls.push(call);
    return result;
  }
}

@Injectable()
class HostSessions extends SessionStore {
  constructor(private readonly directory: Directory) {
    super();
  }
  find(cookieValue: string): Promise<StoredSession | null> {
    const expiresAt = new Date(Date.now() + 86_400_000);
    const session = { buyerId: world.buyer.id, expiresAt, revokedAt: null };
    return Promise.resolve(this.directory.note('session', cookieValue === COOKIE ? session : null));
  }
}
@Injectable()
class HostTexts extends DisplayTexts {
  constructor(private readonly directory: Directory) {
    super();
  }
  override forCaller(): Texts {
    return Object.assign(new EnglishTexts(), {
      car: () => this.directory.note('text', 'Ein Auto'),
    });
  }
}
@Module({ providers: [Directory, HostTexts], exports: [Directory, HostTexts] })
class HostModule {}

/** A provider that a factory makes from the host application's own directory. */
const made = (provide: object, make: (directory: Directory) => object): Provider => ({
  provide: provide as never,
  useFactory: (directory: Directory) => Promise.resolve(make(directory)),
  inject: [Directory],
});

/** Each port with one of the provider forms of Nest. */
const PROVIDERS: Provider[] = [
  { provide: SessionStore, useClass: HostSessions },
  { provide: DisplayTexts, useExisting: HostTexts },
  made(GrantStore, (directory) => ({
    find: () =>
      Promise.resolve(
        directory.note('grant', { scopes: ['offers:read'], isHosted: false, changesGranted: true }),
      ),
  })),
  made(Rollout, (directory) => ({
    isOn: (flag: string) => directory.note('rollout', flag === 'get'),
  })),
  made(RateLimitStorage, (directory) => ({
    increment: () => {
      const isBlocked = directory.calls.filter((call) => call === 'rate').length === 2;
      const timeToBlockExpire = isBlocked ? 7 : 0;
      const record = { totalHits: 1, timeToExpire: 60, isBlocked, timeToBlockExpire };
      return Promise.resolve(directory.note('rate', record));
    },
  })),
  made(RequestObserver, (directory) => ({
    observe: () => directory.note('observe', undefined),
  })),
  made(MetricsRegistry, (directory) => {
    const sources: MetricsSource[] = [() => Promise.resolve('acme_visits_total 1\n')];
    return directory.note('metrics', {
      contentType: 'text/plain',
      register: (source: MetricsSource) => void sources.push(source),
      text: async () => (await Promise.all(sources.map((source) => source()))).join(''),
    });
  }),
];

/** A host application with this function as its observer. */
const observing = (observe: RequestObserver['observe']): HostOptions => ({
  providers: [{ provide: RequestObserver, useValue: { observe } }],
});

describe('ports of a host application', () => {
  it('replace the defaults', () =>
    withHost({ imports: [HostModule], providers: PROVIDERS }, async (service, assistant) => {
      const { calls } = service.app.get(Directory, { strict: false });
      const own = await service.get<DealSetResponse>(GET, { cookie: COOKIE });
      expect(own.status).toBe(200);
      const { status, body } = await service.get<DealSetResponse>(GET, assistant);
      expect([status, body.data.hero?.label]).toEqual([200, 'Ein Auto']);
      expect((await service.get(LIST, { cookie: COOKIE })).status).toBe(404);
      expect((await service.get(GET, world.session)).status).toBe(401);
      const rejection = await service.get(GET, { cookie: COOKIE });
      expect([rejection.status, rejection.headers['retry-after']]).toEqual([429, '7']);
      await eventually(() =>
        expect(new Set(calls)).toEqual(
          new Set(['session', 'grant', 'rollout', 'rate', 'text', 'observe', 'metrics']),
        ),
      );
      // The metrics of the service are among those of the host application.
      const registry = service.app.get(MetricsRegistry, { strict: false });
      await eventually(async () =>
        expect(await registry.text()).toMatch(
          /^acme_visits_total 1\n[^]*request_duration_seconds_count\{route="\/api\/v1\/deal-sets",status="404"/,
        ),
      );
    }));
});

describe('a request observer', () => {
  it('receives successes, rejections and aborts', async () => {
    const requests: ObservedRequest[] = [];
    const observe = (request: ObservedRequest): void => void requests.push(request);
    await withHost(observing(observe), async (service) => {
      const since = '2026-01-01T00:00:00Z';
      const response = await service.get(`${LIST}?since=${since}`, world.session);
      expect(response.status).toBe(200);
      expect((await service.get(`${GET}?x=1&x=2`, undefined)).status).toBe(401);
      expect((await service.send('GET', '/nowhere', undefined)).status).toBe(404);
      await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(4));
      // The first entry is the test's own request for the API description.
      expect(requests.slice(1)).toMatchObject([
        {
          id: response.headers['service-request-id'],
          method: 'GET',
          route: LIST,
          parameters: {},
          query: { since },
          status: 200,
          code: undefined,
          principal: { type: 'session', buyerId: world.buyer.id },
          durationMs: expect.any(Number) as number,
        },
        {
          route: `${LIST}/:id`,
          parameters: { id: world.set.id },
          query: { x: ['1', '2'] },
          status: 401,
          code: 'unauthenticated',
          principal: undefined,
        },
        { status: 404, code: 'not_found', principal: undefined },
      ]);
      const client = connect(service.port, '127.0.0.1');
      client.write(
        `GET ${GET} HTTP/1.1\r\nHost: x\r\nCookie: __Host-session=${world.session.cookie}\r\n\r\n`,
        () => client.resetAndDestroy(),
      );
      await eventually(() => expect(requests.at(-1)?.status).toBeUndefined());
    });
  });

  it('changes no response when it throws or rejects, and the error is logged', async () => {
    let isLate = false;
    const observe = (): Promise<void> => {
      isLate = !isLate;
      const error = new Error('the trail of Redwood is full');
      if (isLate) return Promise.reject(error);
      throw error;
    };
    await withHost(observing(observe), async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect((await service.get(LIST, undefined)).status).toBe(401);
      const failures = (): string[] =>
        service.logLines.filter((line) => line.includes('request observer failed'));
      // The first entry is the test's own request for the API description.
      await eventually(() => expect(failures()).toHaveLength(3));
      expect(failures().join('')).not.toContain('Redwood');
    });
  });
});

describe('the option `providers`', () => {
  it('takes the helpers of its providers too', () =>
    withHost(
      { providers: [Directory, { provide: SessionStore, useClass: HostSessions }] },
      async (service) => {
        expect((await service.get(GET, { cookie: COOKIE })).status).toBe(200);
      },
    ));

  it('downloads no keys for an own authenticator', () => {
    const authenticate = (): Promise<never> => Promise.reject(new AppError('unauthenticated'));
    const providers = [{ provide: AssistantAuthenticator, useValue: { authenticate } }];
    return withHost({ providers }, async (service, assistant) => {
      expect((await service.get(GET, assistant)).status).toBe(401);
      expect(service.logLines.join('')).toContain(
        'access tokens: decided by the provider of AssistantAuthenticator',
      );
      const { keySetDownloads } = service.app.get(Metrics, { strict: false });
      expect((await keySetDownloads.get()).values).toEqual([]);
    });
  });
});

describe('the boot', () => {
  const boot = (options: object): Promise<void> => withHost(options, () => Promise.resolve());

  it('fails on an unknown option', async () => {
    await expect(boot({ redactionRule: [] })).rejects.toThrow('unknown option redactionRule');
    const misplaced = { useFactory: () => ({ settings: {} }), redactionRules: [] };
    expect(() => DealSetsModule.forRootAsync(misplaced)).toThrow('unknown option redactionRules');
  });

  it('fails on a provider that replaces no port', () => {
    const register = (provide: Type) => () =>
      DealSetsModule.forRoot({ settings: {}, providers: [{ provide, useValue: {} }] });
    expect(register(DealSetsApi)).toThrow(
      'providers: DealSetsApi is not a port: expected one of SessionStore, GrantStore, ',
    );
    expect(register(Settings as never)).toThrow('providers: Settings is not a port');
    const ofAnotherCopy = { SessionStore: class SessionStore extends HostSessions {} };
    expect(register(ofAnotherCopy.SessionStore)).toThrow(
      'providers: SessionStore is not the port of this copy of @deal-sets/service',
    );
  });

  it.each([
    [SessionStore, 'find'],
    [GrantStore, 'find'],
    [AssistantAuthenticator, 'authenticate'],
    [Rollout, 'isOn'],
    [RateLimitStorage, 'increment'],
    [DisplayTexts, 'forCaller'],
    [RequestObserver, 'observe'],
    [MetricsRegistry, 'register, text'],
  ])('fails on a %p in the form of another version', async (provide, methods) => {
    for (const value of [null, { formerly: () => null }]) {
      const providers = [{ provide, useValue: value }];
      await expect(boot({ providers })).rejects.toThrow(
        `the provider of ${provide.name} has no method ${methods}`,
      );
    }
  });

  it('fails on a port that another module provides', async () => {
    const sessions = { provide: SessionStore, useValue: { find: () => Promise.resolve(null) } };

    @Module({ providers: [sessions] })
    class ShopModule {}

    await expect(boot({ imports: [ShopModule] })).rejects.toThrow(
      'ShopModule: provide SessionStore in the option `providers` of DealSetsModule instead',
    );
  });
});

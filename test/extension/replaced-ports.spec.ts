import {
  Injectable,
  Module,
  UnauthorizedException,
  type ExecutionContext,
  type Provider,
  type Type,
} from '@nestjs/common';
import { ThrottlerStorageService } from '@nestjs/throttler';
import {
  ApprovedAssistants,
  AssistantGuard,
  DealSetsModule,
  EnglishTexts,
  GrantStore,
  JwtBearerGuard,
  MetricsRegistry,
  PostgresGrantStore,
  PostgresSessionStore,
  RateLimitStorage,
  RequestObserver,
  requestSignal,
  Rollout,
  SessionStore,
  SettingsRollout,
  Texts,
  type AssistantPrincipal,
  type Principal,
  type StoredGrant,
  type StoredSession,
} from '../../src/index.js';
import type { DealSetResponse } from '../../src/deal-sets/dto/responses.js';
import { Metrics } from '../../src/observability/metrics.js';
import { smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import type { TeamOptions } from '../setup/test-service.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const { withTeam } = teamSuite(world);
const LIST = '/api/v1/deal-sets';
const GET = `${LIST}/${world.set.id}`;
const TOMORROW = new Date(Date.now() + 86_400_000);
const COOKIE = 'a.signed.value-of-the-website';
const SESSION: StoredSession = { buyerId: world.anna.id, expiresAt: TOMORROW, revokedAt: null };
const GRANT: StoredGrant = { scopes: ['offers:read'], isHosted: false, changesGranted: true };

/** What the team keeps for itself; its own module provides it to its parts. */
@Injectable()
class Directory {
  readonly calls: string[] = [];
  note<T>(call: string, result: T): T {
    this.calls.push(call);
    return result;
  }
}

@Injectable()
class TeamSessions extends SessionStore {
  constructor(private readonly directory: Directory) {
    super();
  }
  find(cookieValue: string): Promise<StoredSession | null> {
    return Promise.resolve(this.directory.note('session', cookieValue === COOKIE ? SESSION : null));
  }
}
@Injectable()
class TeamGrants extends GrantStore {
  constructor(private readonly directory: Directory) {
    super();
  }
  find(): Promise<StoredGrant> {
    return Promise.resolve(this.directory.note('grant', GRANT));
  }
}
@Injectable()
class TeamRollout extends Rollout {
  constructor(private readonly directory: Directory) {
    super();
  }
  isOn(flag: string): boolean {
    return this.directory.note('rollout', flag === 'get');
  }
}
@Injectable()
class TeamCounters extends RateLimitStorage {
  constructor(private readonly directory: Directory) {
    super();
  }
  increment(): ReturnType<RateLimitStorage['increment']> {
    const isBlocked = this.directory.calls.filter((call) => call === 'rate').length === 2;
    return Promise.resolve(
      this.directory.note('rate', {
        totalHits: 1,
        timeToExpire: 60,
        isBlocked,
        timeToBlockExpire: isBlocked ? 7 : 0,
      }),
    );
  }
}
@Injectable()
class TeamTexts extends EnglishTexts {
  constructor(private readonly directory: Directory) {
    super();
  }
  override car(): string {
    return this.directory.note('text', 'Ein Auto');
  }
}
@Injectable()
class TeamTrail extends RequestObserver {
  constructor(private readonly directory: Directory) {
    super();
  }
  observe(): void {
    this.directory.note('observe', undefined);
  }
}
@Injectable()
class TeamRegistry extends MetricsRegistry {
  constructor(directory: Directory) {
    super();
    directory.note('metrics', undefined);
  }
}
@Injectable()
class TeamAssistants extends AssistantGuard {
  constructor(private readonly directory: Directory) {
    super();
  }
  canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<{
      headers: { authorization?: string };
      principal?: AssistantPrincipal;
    }>();
    if (request.headers.authorization !== 'Bearer team-token') throw new UnauthorizedException();
    request.principal = {
      type: 'assistant',
      buyerId: world.anna.id,
      clientId: 'team-assistant',
      scopes: new Set(['offers:read']),
      isHosted: false,
      seesChanges: false,
    };
    return Promise.resolve(this.directory.note('assistant', true));
  }
}

type Part = new (directory: Directory) => object;
const PARTS: readonly (readonly [port: object, part: Part])[] = [
  [SessionStore, TeamSessions],
  [GrantStore, TeamGrants],
  [Rollout, TeamRollout],
  [RateLimitStorage, TeamCounters],
  [Texts, TeamTexts],
  [RequestObserver, TeamTrail],
  [MetricsRegistry, TeamRegistry],
];

@Module({
  providers: [Directory, ...PARTS.map(([, part]) => part as Type), TeamAssistants],
  exports: [Directory, ...PARTS.map(([, part]) => part as Type), TeamAssistants],
})
class TeamModule {}

type Form = (port: object, part: Part, directory: Directory) => Provider;
const FORMS: Readonly<Record<string, Form>> = {
  useClass: (port, part) => ({ provide: port as Type, useClass: part }),
  useValue: (port, part, directory) => ({
    provide: port as Type,
    useValue: new part(directory),
  }),
  useFactory: (port, part) => ({
    provide: port as Type,
    useFactory: (directory: Directory) => Promise.resolve(new part(directory)),
    inject: [Directory],
  }),
  useExisting: (port, part) => ({ provide: port as Type, useExisting: part }),
};

describe.each(Object.entries(FORMS))('ports of a team by %s', (_form, provider) => {
  it('take the place of the shipped ones', async () => {
    const given = new Directory();
    const providers = PARTS.map(([port, part]) => provider(port, part, given));
    await withTeam({ imports: [TeamModule], providers }, async (service, assistant) => {
      const { calls } = service.app.get(Directory, { strict: false });
      const own = await service.get<DealSetResponse>(GET, { cookie: COOKIE });
      expect(own.status).toBe(200);
      const { status, body } = await service.get<DealSetResponse>(GET, assistant);
      expect([status, body.data.hero?.label]).toEqual([200, 'Ein Auto']);
      expect((await service.get(LIST, { cookie: COOKIE })).status).toBe(404);
      expect((await service.get(GET, world.session)).status).toBe(401);
      const refused = await service.get(GET, { cookie: COOKIE });
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
      const seen = () => new Set([...calls, ...given.calls]);
      await eventually(() =>
        expect(seen()).toEqual(
          new Set(['session', 'grant', 'rollout', 'rate', 'text', 'observe', 'metrics']),
        ),
      );
    });
  });

  it('decide how an assistant signs in', async () => {
    const providers = [provider(AssistantGuard, TeamAssistants, new Directory())];
    await withTeam({ imports: [TeamModule], providers }, async (service, assistant) => {
      const { body } = await service.get<DealSetResponse>(GET, { token: 'team-token' });
      expect(body.data.search).toEqual({ buyerZip: null, radiusMiles: null });
      expect((await service.get(GET, assistant)).status).toBe(401);
    });
  });
});

describe('the shipped part of a port', () => {
  it('can be injected by its own name, to be wrapped', async () => {
    const calls: string[] = [];
    const wrapped = (
      port: abstract new () => object,
      shipped: abstract new (...given: never[]) => object,
    ): Provider => ({
      provide: port,
      useFactory: (standard: object) =>
        new Proxy(standard, {
          get: (target, name) => {
            const member = Reflect.get(target, name) as unknown;
            if (typeof member !== 'function' || name === 'constructor') return member;
            return (...given: unknown[]) => {
              calls.push(`${shipped.name}.${String(name)}`);
              return Reflect.apply(member, target, given) as unknown;
            };
          },
        }),
      inject: [shipped as Type],
    });
    const providers = [
      wrapped(SessionStore, PostgresSessionStore),
      wrapped(GrantStore, PostgresGrantStore),
      wrapped(AssistantGuard, JwtBearerGuard),
      wrapped(Rollout, SettingsRollout),
      wrapped(Texts, EnglishTexts),
      wrapped(RateLimitStorage, ThrottlerStorageService),
    ];
    await withTeam({ providers }, async (service, assistant) => {
      expect((await service.get(GET, world.session)).status).toBe(200);
      expect((await service.get(GET, { cookie: 'a-value-of-no-session' })).status).toBe(401);
      expect((await service.get(GET, assistant)).status).toBe(200);
      expect(calls).toEqual(
        expect.arrayContaining([
          'PostgresSessionStore.find',
          'PostgresGrantStore.find',
          'JwtBearerGuard.canActivate',
          'SettingsRollout.isOn',
          'EnglishTexts.car',
          'ThrottlerStorageService.increment',
        ]),
      );
    });
  });

  it('is injected into a class by its type', async () => {
    @Injectable()
    class AuditedSessions extends SessionStore {
      constructor(
        private readonly standard: PostgresSessionStore,
        private readonly directory: Directory,
      ) {
        super();
      }
      async find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null> {
        const found = await this.standard.find(cookieValue, signal);
        return this.directory.note(found ? 'found' : 'none', found);
      }
    }
    @Module({ providers: [Directory], exports: [Directory] })
    class DirectoryModule {}
    const team: TeamOptions = {
      imports: [DirectoryModule],
      providers: [{ provide: SessionStore, useClass: AuditedSessions }],
    };
    await withTeam(team, async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect((await service.get(LIST, { cookie: 'a-value-of-no-session' })).status).toBe(401);
      expect(service.app.get(Directory, { strict: false }).calls).toEqual(['found', 'none']);
    });
  });
});

describe('the boot', () => {
  it.each<[string, object, string | RegExp]>([
    ['an unknown option', { sessionStore: TeamSessions }, 'unknown option sessionStore'],
    [
      'a provider that replaces no port',
      { providers: [TeamSessions] },
      /TeamSessions is no port: expected one of SessionStore, GrantStore, AssistantGuard, /,
    ],
    [
      'a value that is undefined',
      { providers: [{ provide: Rollout, useValue: undefined }] },
      'no value was given for Rollout',
    ],
    [
      'a factory that returns nothing',
      { providers: [{ provide: Texts, useFactory: () => undefined }] },
      'no value was given for Texts',
    ],
    [
      'a dependency that no imported module exports',
      { providers: [{ provide: SessionStore, useClass: TeamSessions }] },
      'Directory',
    ],
  ])('stops on %s', async (_what, team, problem) => {
    await expect(withTeam(team, () => Promise.resolve())).rejects.toThrow(problem);
  });

  it('stops on an unknown option of forRootAsync', () => {
    const options = { useFactory: () => ({}), settings: 1 } as never;
    expect(() => DealSetsModule.forRootAsync(options)).toThrow('unknown option settings');
  });
});

/** A port by one function, as a class of the port. */
const sessions = (find: SessionStore['find']): TeamOptions => ({
  providers: [
    {
      provide: SessionStore,
      useFactory: () =>
        new (class extends SessionStore {
          override find = find;
        })(),
    },
  ],
});
const assistants = (
  canActivate: (context: ExecutionContext, approved: ApprovedAssistants) => unknown,
): TeamOptions => ({
  providers: [
    {
      provide: AssistantGuard,
      useFactory: (approved: ApprovedAssistants) => ({
        canActivate: (context: ExecutionContext) => canActivate(context, approved),
      }),
      inject: [ApprovedAssistants],
    },
  ],
});
const name = (context: ExecutionContext, principal: object): void => {
  context.switchToHttp().getRequest<{ principal: object }>().principal = principal;
};
const CREDENTIAL = { token: 'any-credential-of-the-team' };

describe('a guard of assistants', () => {
  it('makes its principal by ApprovedAssistants from what it verified and the buyer’s approval', async () => {
    const verified = { buyerId: world.anna.id, clientId: 'assistant-1', scopes: ['offers:read'] };
    let current = verified;
    const team = assistants(async (context, approved) => {
      name(context, await approved.principalOf(current, requestSignal(context)));
      return true;
    });
    await withTeam(team, async (service) => {
      const answers: number[] = [];
      for (const over of [{}, { scopes: ['other'] }, { clientId: 'not-approved' }]) {
        current = { ...verified, ...over };
        answers.push((await service.get(GET, CREDENTIAL)).status);
      }
      expect(answers).toEqual([200, 403, 401]);
    });
  });

  const principal = {
    type: 'assistant',
    buyerId: world.anna.id,
    clientId: 'assistant-1',
    scopes: new Set(['offers:read']),
  };
  it.each<[string, (context: ExecutionContext) => unknown, number]>([
    ['throws UnauthorizedException', () => Promise.reject(new UnauthorizedException()), 401],
    ['returns false', (context) => (name(context, principal), false), 401],
    ['returns something else', (context) => (name(context, principal), 'yes'), 401],
    ['names no principal', () => true, 401],
    ['names a session', (context) => (name(context, { ...principal, type: 'session' }), true), 401],
    ['names no buyer', (context) => (name(context, { ...principal, buyerId: 'anna' }), true), 503],
    ['names no assistant', (context) => (name(context, { ...principal, clientId: '' }), true), 503],
    [
      'names a list of scopes',
      (context) => (name(context, { ...principal, scopes: [] }), true),
      503,
    ],
    ['throws anything else', () => Promise.reject(new Error('Redwood')), 503],
    ['does not return within a second', () => new Promise(() => undefined), 503],
  ])('admits no one when it %s', async (_what, canActivate, status) => {
    await withTeam(assistants(canActivate), async (service) => {
      const { body, text } = await service.get<{ error: { code: string } }>(GET, CREDENTIAL);
      expect(body.error.code).toBe(status === 401 ? 'unauthenticated' : 'auth_unverifiable');
      expect(text).not.toContain('Redwood');
      expect(service.logLines.join('')).not.toContain('Redwood');
    });
  });

  it('counts what it leaves out as the stricter value', async () => {
    const team = assistants((context) => (name(context, principal), true));
    await withTeam(team, async (service) => {
      const { body } = await service.get<DealSetResponse>(GET, CREDENTIAL);
      expect(body.data.ranked[0]?.rows[0]).not.toHaveProperty('isVerifiedPartner');
    });
  });
});

describe('what a store returns', () => {
  it('counts as the stricter value where it is incomplete: sessions', async () => {
    const cases: readonly [object, number][] = [
      [{ expiresAt: TOMORROW, revokedAt: null }, 200],
      [{ revokedAt: null }, 401],
      [{ expiresAt: TOMORROW }, 401],
      [{ expiresAt: '2999-01-01T00:00:00Z', revokedAt: null }, 401],
    ];
    let current: object = {};
    const team = sessions(() =>
      Promise.resolve({ buyerId: world.anna.id, ...current } as StoredSession),
    );
    await withTeam(team, async (service) => {
      for (const [session, status] of cases) {
        current = session;
        expect((await service.get(LIST, world.session)).status).toBe(status);
      }
    });
  });

  it('counts as the stricter value where it is incomplete: grants', async () => {
    let current: object = {};
    const providers = [{ provide: GrantStore, useValue: { find: () => Promise.resolve(current) } }];
    await withTeam({ providers }, async (service, assistant) => {
      current = { scopes: ['offers:read'], isHosted: false };
      const own = await service.get<DealSetResponse>(GET, assistant);
      expect(own.body.data.ranked[0]?.rows[0]).toHaveProperty('isVerifiedPartner');
      current = { scopes: ['offers:read'] };
      const hosted = await service.get<DealSetResponse>(GET, assistant);
      expect(hosted.body.data.ranked[0]?.rows[0]).not.toHaveProperty('isVerifiedPartner');
      const page = await service.get<{ data: object[] }>(
        `${LIST}?since=1970-01-01T00:00:00Z`,
        assistant,
      );
      expect(page.body.data[0]).not.toHaveProperty('changes');
      for (const [scopes, status] of [
        [undefined, 503],
        ['offers:read', 503],
        [[], 403],
      ] as const) {
        current = { scopes, isHosted: false };
        expect((await service.get(GET, assistant)).status).toBe(status);
      }
    });
  });
});

describe('the principal', () => {
  it('cannot be changed by a port that receives it', async () => {
    const failures: string[] = [];
    class Promoting extends Rollout {
      isOn(_flag: string, principal: Principal): boolean {
        try {
          Object.assign(principal, { type: 'session' });
        } catch (error) {
          failures.push((error as Error).name);
        }
        return true;
      }
    }
    const providers = [{ provide: Rollout, useClass: Promoting }];
    await withTeam({ providers }, async (service, assistant) => {
      const { body } = await service.get<DealSetResponse>(GET, assistant);
      expect(body.data.search).toEqual({ buyerZip: null, radiusMiles: null });
      expect((await service.get(GET, world.session)).status).toBe(200);
      expect(failures).toEqual(['TypeError', 'TypeError']);
    });
  });
});

describe('a call of a port that is given up', () => {
  it('has its signal aborted at its own limit: hung look-ups do not stay open', async () => {
    let open = 0;
    let most = 0;
    const team = sessions((_cookieValue, signal) => {
      open += 1;
      most = Math.max(most, open);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          open -= 1;
          reject(new Error('aborted'));
        });
      });
    });
    await withTeam(team, async (service) => {
      const startedAt = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => service.get(LIST, world.session)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(performance.now() - startedAt).toBeLessThan(3000);
      expect(most).toBeGreaterThan(1);
      await eventually(() => expect(open).toBe(0));
    });
  });

  it('has its signal aborted when a flag is late, and the endpoint is off', async () => {
    let aborted = false;
    class LateRollout extends Rollout {
      isOn(_flag: string, _principal: Principal, signal: AbortSignal): Promise<boolean> {
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise(() => undefined);
      }
    }
    await withTeam(
      { providers: [{ provide: Rollout, useClass: LateRollout }] },
      async (service) => {
        expect((await service.get(LIST, world.session)).status).toBe(404);
        expect(aborted).toBe(true);
      },
    );
  });
});

describe('the metrics of a team', () => {
  it('are served beside those of the service, in the registry of the team', async () => {
    const registry = new MetricsRegistry();
    registry.setDefaultLabels({ team: 'acme' });
    const providers = [{ provide: MetricsRegistry, useValue: registry }];
    await withTeam({ providers }, async (service) => {
      await service.get(LIST, world.session);
      expect(service.app.get(Metrics, { strict: false }).registry).toBe(registry);
      await eventually(async () =>
        expect(await registry.metrics()).toMatch(
          /request_duration_seconds_count\{team="acme",route="\/api\/v1\/deal-sets",status="200"/,
        ),
      );
    });
  });
});

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
  Rollout,
  SessionStore,
  SettingsRollout,
  Texts,
  type AssistantPrincipal,
  type StoredGrant,
  type StoredSession,
} from '../../../src/index.js';
import type { DealSetResponse } from '../../../src/deal-sets/dto/responses.js';
import { Metrics } from '../../../src/observability/metrics.js';
import { smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const { withTeam } = teamSuite(world);
const GET = world.getPath;
const COOKIE = 'a.signed.value-of-the-website';

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
    const expiresAt = new Date(Date.now() + 86_400_000);
    const session = { buyerId: world.anna.id, expiresAt, revokedAt: null };
    return Promise.resolve(this.directory.note('session', cookieValue === COOKIE ? session : null));
  }
}
@Injectable()
class TeamGrants extends GrantStore {
  constructor(private readonly directory: Directory) {
    super();
  }
  find(): Promise<StoredGrant> {
    const grant = { scopes: ['offers:read'], isHosted: false, changesGranted: true };
    return Promise.resolve(this.directory.note('grant', grant));
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
    const timeToBlockExpire = isBlocked ? 7 : 0;
    const record = { totalHits: 1, timeToExpire: 60, isBlocked, timeToBlockExpire };
    return Promise.resolve(this.directory.note('rate', record));
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
    this.setDefaultLabels({ team: 'acme' });
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

@Module({
  providers: [Directory, TeamGrants, TeamTexts, TeamTrail],
  exports: [Directory, TeamGrants, TeamTexts, TeamTrail],
})
class TeamModule {}

/** Each port by one of the forms that Nest knows. */
const PROVIDERS: Provider[] = [
  { provide: SessionStore, useClass: TeamSessions },
  { provide: GrantStore, useExisting: TeamGrants },
  { provide: Rollout, useClass: TeamRollout },
  {
    provide: RateLimitStorage,
    useFactory: (directory: Directory) => Promise.resolve(new TeamCounters(directory)),
    inject: [Directory],
  },
  { provide: Texts, useExisting: TeamTexts },
  { provide: RequestObserver, useExisting: TeamTrail },
  { provide: MetricsRegistry, useClass: TeamRegistry },
];

describe('ports of a team', () => {
  it('take the place of the shipped ones', () =>
    withTeam({ imports: [TeamModule], providers: PROVIDERS }, async (service, assistant) => {
      const { calls } = service.app.get(Directory, { strict: false });
      const own = await service.get<DealSetResponse>(GET, { cookie: COOKIE });
      expect(own.status).toBe(200);
      const { status, body } = await service.get<DealSetResponse>(GET, assistant);
      expect([status, body.data.hero?.label]).toEqual([200, 'Ein Auto']);
      expect((await service.get(LIST, { cookie: COOKIE })).status).toBe(404);
      expect((await service.get(GET, world.session)).status).toBe(401);
      const refused = await service.get(GET, { cookie: COOKIE });
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
      await eventually(() =>
        expect(new Set(calls)).toEqual(
          new Set(['session', 'grant', 'rollout', 'rate', 'text', 'observe', 'metrics']),
        ),
      );
      // The metrics of the service are in the registry of the team.
      const { registry } = service.app.get(Metrics, { strict: false });
      await eventually(async () =>
        expect(await registry.metrics()).toMatch(
          /request_duration_seconds_count\{team="acme",route="\/api\/v1\/deal-sets",status="404"/,
        ),
      );
    }));

  it('decide how an assistant signs in', () =>
    withTeam(
      {
        imports: [TeamModule],
        providers: [{ provide: AssistantGuard, useClass: TeamAssistants }],
      },
      async (service, assistant) => {
        const { body } = await service.get<DealSetResponse>(GET, { token: 'team-token' });
        expect(body.data.search).toEqual({ buyerZip: null, radiusMiles: null });
        expect((await service.get(GET, assistant)).status).toBe(401);
      },
    ));

  it('can wrap the shipped ones, which are injected by their own names', async () => {
    const calls: string[] = [];
    const wrapped = (
      port: abstract new () => object,
      shipped: unknown,
      method: string,
    ): Provider => ({
      provide: port,
      useFactory: (standard: Record<string, (...given: unknown[]) => unknown>) => {
        const original = standard[method]!.bind(standard);
        standard[method] = (...given) => {
          calls.push(method);
          return original(...given);
        };
        return standard;
      },
      inject: [shipped as Type],
    });
    const providers = [
      wrapped(SessionStore, PostgresSessionStore, 'find'),
      wrapped(GrantStore, PostgresGrantStore, 'find'),
      wrapped(AssistantGuard, JwtBearerGuard, 'canActivate'),
      wrapped(Rollout, SettingsRollout, 'isOn'),
      wrapped(Texts, EnglishTexts, 'car'),
      wrapped(RateLimitStorage, ThrottlerStorageService, 'increment'),
    ];
    await withTeam({ providers }, async (service, assistant) => {
      expect((await service.get(GET, world.session)).status).toBe(200);
      expect((await service.get(GET, { cookie: 'a-value-of-no-session' })).status).toBe(401);
      expect((await service.get(GET, assistant)).status).toBe(200);
      expect(calls.filter((call) => call === 'find')).toHaveLength(3);
      expect(calls).toEqual(expect.arrayContaining(['canActivate', 'isOn', 'car', 'increment']));
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

import { Injectable, Module } from '@nestjs/common';
import {
  Deadline,
  GrantStore,
  RateLimitStorage,
  Rollout,
  SessionStore,
  type DealSetsExtensions,
  type Principal,
  type StoredGrant,
  type StoredSession,
} from '../../src/index.js';
import type { DealSetResponse } from '../../src/deal-sets/dto/responses.js';
import { smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const LIST = '/api/v1/deal-sets';
const GET = `${LIST}/${world.set.id}`;
const TOMORROW = new Date(Date.now() + 86_400_000);
const { withTeam } = teamSuite(world);

@Injectable()
class Audit {
  readonly lines: string[] = [];
}
@Module({ providers: [Audit], exports: [Audit] })
class AuditModule {}

/** Looks at the shipped sessions and writes down each look-up. */
class AuditedSessions extends SessionStore {
  constructor(
    private readonly standard: SessionStore,
    private readonly audit: Audit,
  ) {
    super();
  }
  async find(tokenSha256: Buffer, limit: Deadline): Promise<StoredSession | null> {
    const found = await this.standard.find(tokenSha256, limit);
    this.audit.lines.push(`${this.standard.constructor.name} ${found ? 'found' : 'none'}`);
    return found;
  }
}

describe('a part that wraps the shipped one', () => {
  it('gets the shipped part and what it asks for', async () => {
    const extensions: DealSetsExtensions = {
      imports: [AuditModule],
      sessionStore: {
        decorate: (standard: SessionStore, audit: Audit) => new AuditedSessions(standard, audit),
        inject: [Audit],
      },
    };
    await withTeam(extensions, async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect((await service.get(LIST, { cookie: 'a-value-of-no-session' })).status).toBe(401);
      expect(service.app.get(Audit, { strict: false }).lines).toEqual([
        'PostgresSessionStore found',
        'PostgresSessionStore none',
      ]);
      const boot = service.logLines.find((line) => line.includes('parts in place')) ?? '{}';
      expect(JSON.parse(boot)).toMatchObject({
        parts: { sessionStore: 'AuditedSessions', grantStore: 'PostgresGrantStore' },
        imports: ['AuditModule'],
      });
    });
  });

  it('gets counters also where none are shared', async () => {
    const hits: string[] = [];
    class Watched extends RateLimitStorage {
      constructor(private readonly standard: RateLimitStorage) {
        super();
      }
      increment(...hit: Parameters<RateLimitStorage['increment']>) {
        hits.push(hit[0].split(' ')[0] ?? '');
        return this.standard.increment(...hit);
      }
    }
    const rateLimitStorage = { decorate: (standard: RateLimitStorage) => new Watched(standard) };
    await withTeam({ rateLimitStorage }, async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect(hits).toEqual(['read']);
    });
  });

  it('stops the boot when nothing is returned', async () => {
    const sessionStore = { decorate: () => undefined as unknown as SessionStore };
    await expect(withTeam({ sessionStore }, () => Promise.resolve())).rejects.toThrow(
      'no part was given for SessionStore',
    );
  });
});

describe('a class of a part', () => {
  it('stops the boot when its constructor takes arguments and it is not injectable', async () => {
    class Unmarked extends Rollout {
      constructor(private readonly audit: Audit) {
        super();
      }
      isOn(): boolean {
        return this.audit.lines.length === 0;
      }
    }
    await expect(
      withTeam({ imports: [AuditModule], rollout: Unmarked }, () => Promise.resolve()),
    ).rejects.toThrow(/Unmarked: add @Injectable\(\)/);
  });
});

describe('a session store that needs the credential', () => {
  it('gets the cookie’s value, and is not asked by hash', async () => {
    const value = 'a.signed.value-of-the-website';
    class SignedSessions extends SessionStore {
      override findByCredential(cookieValue: string): Promise<StoredSession | null> {
        return Promise.resolve(
          cookieValue === value
            ? { buyerId: world.anna.id, expiresAt: TOMORROW, revokedAt: null }
            : null,
        );
      }
      find(): Promise<StoredSession | null> {
        throw new Error('asked by hash');
      }
    }
    await withTeam({ sessionStore: SignedSessions }, async (service) => {
      expect((await service.get(LIST, { cookie: value })).status).toBe(200);
      expect((await service.get(LIST, world.session)).status).toBe(401);
    });
  });
});

describe('what a port returns', () => {
  it('counts as the stricter value where it is incomplete: sessions', async () => {
    const cases: readonly [object, number][] = [
      [{ expiresAt: TOMORROW, revokedAt: null }, 200],
      [{ revokedAt: null }, 401],
      [{ expiresAt: TOMORROW }, 401],
      [{ expiresAt: '2999-01-01T00:00:00Z', revokedAt: null }, 401],
    ];
    let current: object = {};
    const sessionStore = {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- an object may be a part
      useValue: {
        find: () => Promise.resolve({ buyerId: world.anna.id, ...current } as StoredSession),
      } as SessionStore,
    };
    await withTeam({ sessionStore }, async (service) => {
      for (const [session, status] of cases) {
        current = session;
        expect((await service.get(LIST, world.session)).status).toBe(status);
      }
    });
  });

  it('counts as the stricter value where it is incomplete: grants', async () => {
    let current: object = {};
    const grantStore = {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- an object may be a part
      useValue: { find: () => Promise.resolve(current as StoredGrant) } as GrantStore,
    };
    await withTeam({ grantStore }, async (service) => {
      const assistant = await service.tokenFor(world.anna.id);
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
  it('cannot be changed by a part that receives it', async () => {
    const failures: string[] = [];
    class Promoting extends Rollout {
      isOn(_flag: string, principal: Principal): boolean {
        const changes = [
          () => Object.assign(principal, { type: 'session' }),
          () => (principal.scopes as Set<string>).add('admin'),
          () => (principal.scopes as Set<string>).clear(),
        ];
        for (const change of changes) {
          try {
            change();
          } catch (error) {
            failures.push((error as Error).name);
          }
        }
        return true;
      }
    }
    await withTeam({ rollout: Promoting }, async (service) => {
      const { body } = await service.get<DealSetResponse>(
        GET,
        await service.tokenFor(world.anna.id),
      );
      expect(body.data.search).toEqual({ buyerZip: null, radiusMiles: null });
      expect((await service.get(GET, world.session)).status).toBe(200);
      expect(failures).toEqual(Array.from({ length: 6 }, () => 'TypeError'));
    });
  });
});

describe('a call that is given up', () => {
  it('is aborted at its own limit: hung look-ups do not stay open', async () => {
    let open = 0;
    let most = 0;
    const left: number[] = [];
    class HungSessions extends SessionStore {
      find(_tokenSha256: Buffer, limit: Deadline): Promise<StoredSession | null> {
        open += 1;
        most = Math.max(most, open);
        left.push(limit.remainingMs);
        return new Promise((_resolve, reject) => {
          limit.signal.addEventListener('abort', () => {
            open -= 1;
            reject(new Error('aborted'));
          });
        });
      }
    }
    await withTeam({ sessionStore: HungSessions }, async (service) => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => service.get(LIST, world.session)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(most).toBeGreaterThan(1);
      expect(Math.max(...left)).toBeLessThanOrEqual(1000);
      await eventually(() => expect(open).toBe(0));
    });
  });

  it('is aborted when the client leaves, and when a flag is late', async () => {
    const parent = new Deadline(8000);
    const part = parent.within(500);
    const { signal } = part;
    parent.end();
    expect([signal.aborted, part.remainingMs]).toEqual([true, 0]);
    let aborted = false;
    class LateRollout extends Rollout {
      isOn(_flag: string, _principal: Principal, limit: Deadline): Promise<boolean> {
        limit.signal.addEventListener('abort', () => (aborted = true));
        return new Promise(() => undefined);
      }
    }
    await withTeam({ rollout: LateRollout }, async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(404);
      expect(aborted).toBe(true);
    });
  });
});

import { createHash } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import {
  AccessTokenVerifier,
  AppError,
  DealSetQueries,
  GrantStore,
  RateLimitStorage,
  Rollout,
  SessionStore,
  type AccessToken,
  type ActiveRequests,
  type DealSetFacts,
  type DealSetsExtensions,
  type FeedPage,
  type FeedPageWithReplies,
  type Principal,
  type StoredGrant,
  type StoredSession,
} from '../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../src/deal-sets/dto/responses.js';
import { NEW_PRICE_CHECK } from '../../src/deal-sets/domain/facts.js';
import { smallWorld } from '../builders/index.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const { withTeam } = teamSuite(world);
const LIST = '/api/v1/deal-sets';
const GET = `${LIST}/${world.set.id}`;

/** What the team keeps for itself; its own module provides it to its parts. */
@Injectable()
class TeamDirectory {
  readonly sessions = new Map<string, StoredSession>([
    [
      createHash('sha256').update('the-team-s-own-cookie-value').digest('hex'),
      { buyerId: world.anna.id, expiresAt: new Date('2999-01-01'), revokedAt: null },
    ],
  ]);
}
@Module({ providers: [TeamDirectory], exports: [TeamDirectory] })
class TeamModule {}

class TeamSessions extends SessionStore {
  constructor(private readonly directory: TeamDirectory) {
    super();
  }
  find(tokenSha256: Buffer): Promise<StoredSession | null> {
    return Promise.resolve(this.directory.sessions.get(tokenSha256.toString('hex')) ?? null);
  }
}
class TeamGrants extends GrantStore {
  find(_buyerId: string, clientId: string): Promise<StoredGrant | null> {
    return Promise.resolve(
      clientId === 'team-assistant'
        ? { scopes: ['offers:read'], isHosted: true, changesGranted: true }
        : null,
    );
  }
}
class TeamTokens extends AccessTokenVerifier {
  verify(token: string): Promise<AccessToken> {
    if (token !== 'team-token') throw new AppError('unauthenticated');
    return Promise.resolve({
      buyerId: world.anna.id,
      clientId: 'team-assistant',
      scopes: ['offers:read'],
    });
  }
}
/** On for assistants alone. */
class TeamRollout extends Rollout {
  isOn(_flag: string, principal: Principal): boolean {
    return principal.type === 'assistant';
  }
}
/** Tells more than it should, as a careless team might. */
class TeamQueries extends DealSetQueries {
  listActive(): Promise<ActiveRequests> {
    return Promise.resolve({ requests: [], hasMore: true });
  }
  changedSince(): Promise<FeedPage> {
    throw new Error('the team’s store is broken');
  }
  changedSinceWithReplies(): Promise<FeedPageWithReplies> {
    throw new Error('the team’s store is broken');
  }
  findDealSet(): Promise<DealSetFacts | null> {
    const row = {
      ...NEW_PRICE_CHECK,
      id: 'row-1',
      listing: {
        year: 2025,
        model: 'CR-V',
        trim: null,
        exteriorColor: null,
        mileage: null,
        listedAtCents: null,
      },
      answer: 'same_car',
      otdCents: 5,
      sellingPriceCents: null,
      writtenAt: '2026-01-01T00:00:00.000Z',
      ended: null,
      isSeen: true,
      isChosen: true,
      isArchived: false,
      isVerifiedPartner: true,
      distanceMiles: 7.5,
      dealershipName: 'Careless Motors',
    } as const;
    return Promise.resolve({
      id: world.set.id,
      car: {
        year: 2025,
        make: 'Honda',
        model: 'CR-V',
        trim: 'careless',
        exteriorColor: 'careless',
        interiorColor: 'careless',
        drivetrain: 'careless',
        powertrain: 'careless',
      },
      buyerZip: '99999',
      radiusMiles: 33.5,
      dealersFound: 44,
      priceChecks: [row],
      needsYouItems: [
        {
          kind: 'question',
          id: 'q',
          priceCheckId: 'row-1',
          promptId: null,
          category: 'price',
          answerMode: 'text',
          otdCents: null,
          text: 'Careless words',
        },
        {
          kind: 'draft',
          id: 'd',
          priceCheckId: 'row-1',
          opening: 'Careless words',
          hasMore: false,
        },
      ],
    });
  }
}

describe('a team with parts of its own', () => {
  it('keeps sessions where it likes, with what its own modules provide', async () => {
    const extensions: DealSetsExtensions = {
      imports: [TeamModule],
      sessionStore: {
        useFactory: (directory: TeamDirectory) => new TeamSessions(directory),
        inject: [TeamDirectory],
      },
    };
    await withTeam(extensions, async (service) => {
      expect((await service.get(LIST, { cookie: 'the-team-s-own-cookie-value' })).status).toBe(200);
      expect((await service.get(LIST, world.session)).status).toBe(401);
    });
  });

  it('decides which tokens and which approvals are good', async () => {
    await withTeam({ accessTokenVerifier: TeamTokens, grantStore: TeamGrants }, async (service) => {
      const { status, body } = await service.get<ListResponse>(
        `${LIST}?since=1970-01-01T00:00:00Z`,
        {
          token: 'team-token',
        },
      );
      expect(status).toBe(200);
      expect(body.data[0]).toHaveProperty('changes');
      expect((await service.get(LIST, { token: 'another-token' })).status).toBe(401);
    });
  });

  it('turns endpoints on for whom it likes', async () => {
    await withTeam({ rollout: { useValue: new TeamRollout() } }, async (service) => {
      expect((await service.get(GET, world.session)).status).toBe(404);
      expect((await service.get(GET, await service.tokenFor(world.anna.id))).status).toBe(200);
    });
  });

  it('counts calls where it likes', async () => {
    let hits = 0;
    class TeamCounters extends RateLimitStorage {
      increment(): ReturnType<RateLimitStorage['increment']> {
        hits += 1;
        const isBlocked = hits > 2;
        return Promise.resolve({
          totalHits: hits,
          timeToExpire: 60,
          isBlocked,
          timeToBlockExpire: isBlocked ? 7 : 0,
        });
      }
    }
    await withTeam({ rateLimitStorage: TeamCounters }, async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect((await service.get(GET, world.session)).status).toBe(200);
      const refused = await service.get(GET, world.session);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
    });
  });

  it('reads from a source of its own, and an assistant still gets nothing that is withheld', async () => {
    await withTeam({ queries: TeamQueries }, async (service) => {
      const plain = await service.get<ListResponse>(LIST, world.session);
      expect([plain.body.data, plain.headers['service-more']]).toEqual([[], 'true']);
      const own = await service.get<DealSetResponse>(GET, world.session);
      expect(own.body.data.hero?.label).toBe('Careless Motors');
      const told = await service.get<DealSetResponse>(GET, await service.tokenFor(world.anna.id));
      expect(told.status).toBe(200);
      expect(told.body.data.hero?.label).toBe('2025 CR-V');
      expect(told.text).not.toMatch(/careless|\b99999\b|33\.5|\b44\b|7\.5|Under 10/i);
      const failed = await service.get(`${LIST}?since=1970-01-01T00:00:00Z`, world.session);
      expect([failed.status, failed.text]).toEqual([
        500,
        expect.not.stringContaining('store') as string,
      ]);
    });
  });
});

import { UnauthorizedException, type ExecutionContext } from '@nestjs/common';
import {
  ApprovedAssistants,
  AssistantGuard,
  GrantStore,
  requestSignal,
  Rollout,
  SessionStore,
  type Principal,
} from '../../../src/index.js';
import type { DealSetResponse } from '../../../src/deal-sets/dto/responses.js';
import { smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import type { TeamOptions } from '../../setup/test-service.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const { withTeam } = teamSuite(world);
const GET = world.getPath;
const CREDENTIAL = { token: 'any-credential-of-the-team' };

/** A team with its own value for a port. */
const team = (provide: object, useValue: object): TeamOptions => ({
  providers: [{ provide: provide as never, useValue }],
});
type CanActivate = (context: ExecutionContext) => unknown;
const guard = (canActivate: CanActivate): TeamOptions => team(AssistantGuard, { canActivate });

const principal = {
  type: 'assistant',
  buyerId: world.anna.id,
  clientId: 'assistant-1',
  scopes: new Set(['offers:read']),
};
const name = (context: ExecutionContext, named: object): void => {
  context.switchToHttp().getRequest<{ principal: object }>().principal = named;
};
/** A guard that admits this principal. */
const naming =
  (over: object): CanActivate =>
  (context) => {
    name(context, { ...principal, ...over });
    return true;
  };

describe('a team’s guard of assistants', () => {
  it('makes its principal by ApprovedAssistants from what it verified and the buyer’s approval', async () => {
    const verified = { buyerId: world.anna.id, clientId: 'assistant-1', scopes: ['offers:read'] };
    let current = verified;
    const approving = {
      provide: AssistantGuard,
      useFactory: (approved: ApprovedAssistants) => ({
        async canActivate(context: ExecutionContext) {
          name(context, await approved.principalOf(current, requestSignal(context)));
          return true;
        },
      }),
      inject: [ApprovedAssistants],
    };
    await withTeam({ providers: [approving] }, async (service) => {
      const answers: number[] = [];
      for (const over of [{}, { scopes: ['other'] }, { clientId: 'not-approved' }]) {
        current = { ...verified, ...over };
        answers.push((await service.get(GET, CREDENTIAL)).status);
      }
      expect(answers).toEqual([200, 403, 401]);
    });
  });

  it('admits no one unless it names a whole principal and returns true', async () => {
    let canActivate: CanActivate = () => true;
    const cases: readonly [string, CanActivate, number][] = [
      ['throws UnauthorizedException', () => Promise.reject(new UnauthorizedException()), 401],
      ['returns false', (context) => (name(context, principal), false), 401],
      ['returns something else', (context) => (name(context, principal), 'yes'), 401],
      ['names no principal', () => true, 401],
      ['names a session', naming({ type: 'session' }), 401],
      ['names no buyer', naming({ buyerId: 'anna' }), 503],
      ['names no assistant', naming({ clientId: '' }), 503],
      ['names a list of scopes', naming({ scopes: [] }), 503],
      ['throws anything else', () => Promise.reject(new Error('Redwood')), 503],
      ['does not return within a second', () => new Promise(() => undefined), 503],
    ];
    await withTeam(
      guard((context) => canActivate(context)),
      async (service) => {
        for (const [what, current, status] of cases) {
          canActivate = current;
          const answer = await service.get(GET, CREDENTIAL);
          const code = status === 401 ? 'unauthenticated' : 'auth_unverifiable';
          expect([what, answer.status, answer.code]).toEqual([what, status, code]);
          expect(answer.text).not.toContain('Redwood');
        }
        expect(service.logLines.join('')).not.toContain('Redwood');
      },
    );
  });

  it('counts what it leaves out as the stricter value', () =>
    withTeam(guard(naming({})), async (service) => {
      const { body } = await service.get<DealSetResponse>(GET, CREDENTIAL);
      expect(body.data.ranked[0]?.rows[0]).not.toHaveProperty('isVerifiedPartner');
    }));
});

describe('an incomplete value of a team’s store', () => {
  it('counts as the stricter one: a session', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000);
    let current: object = {};
    const find = () => Promise.resolve({ buyerId: world.anna.id, ...current });
    await withTeam(team(SessionStore, { find }), async (service) => {
      for (const [session, status] of [
        [{ expiresAt, revokedAt: null }, 200],
        [{ revokedAt: null }, 401],
        [{ expiresAt }, 401],
        [{ expiresAt: '2999-01-01T00:00:00Z', revokedAt: null }, 401],
      ] as const) {
        current = session;
        expect((await service.get(LIST, world.session)).status).toBe(status);
      }
    });
  });

  it('counts as the stricter one: a grant', async () => {
    let current: object = {};
    const find = () => Promise.resolve(current);
    await withTeam(team(GrantStore, { find }), async (service, assistant) => {
      const row = async () =>
        (await service.get<DealSetResponse>(GET, assistant)).body.data.ranked[0]?.rows[0];
      current = { scopes: ['offers:read'], isHosted: false };
      expect(await row()).toHaveProperty('isVerifiedPartner');
      current = { scopes: ['offers:read'] };
      expect(await row()).not.toHaveProperty('isVerifiedPartner');
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

describe('a team’s rollout', () => {
  it('cannot change the principal that it receives', async () => {
    const failures: string[] = [];
    const isOn = (_flag: string, received: Principal): boolean => {
      try {
        Object.assign(received, { type: 'session' });
      } catch (error) {
        failures.push((error as Error).name);
      }
      return true;
    };
    await withTeam(team(Rollout, { isOn }), async (service, assistant) => {
      const { body } = await service.get<DealSetResponse>(GET, assistant);
      expect(body.data.search).toEqual({ buyerZip: null, radiusMiles: null });
      expect((await service.get(GET, world.session)).status).toBe(200);
      expect(failures).toEqual(['TypeError', 'TypeError']);
    });
  });

  it('has its signal aborted when it is late, and the endpoint is off', async () => {
    let aborted = false;
    const isOn = (_flag: string, _principal: Principal, signal: AbortSignal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise(() => undefined);
    };
    await withTeam(team(Rollout, { isOn }), async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(404);
      expect(aborted).toBe(true);
    });
  });
});

describe('look-ups of a team’s store that hang', () => {
  it('have their signals aborted at their own limit, and do not stay open', async () => {
    let open = 0;
    let most = 0;
    const find = (_cookieValue: string, signal: AbortSignal) => {
      open += 1;
      most = Math.max(most, open);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          open -= 1;
          reject(new Error('aborted'));
        });
      });
    };
    await withTeam(team(SessionStore, { find }), async (service) => {
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
});

import type { ExecutionContext } from '@nestjs/common';
import passport from 'passport';
import { endpoint } from '../../../test/builders/endpoint-policy.js';
import { Endpoint } from '../../http/endpoint.decorator.js';
import { AppError } from '../../kernel/app-error.js';
import { Deadline } from '../../kernel/deadline.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import { ACCESS_TOKEN_STRATEGY, AccessTokenStrategy } from './access-token.strategy.js';
import type { AccessTokenVerifier } from './access-token-verifier.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { BearerGuard } from './bearer.guard.js';
import { CredentialGuard } from '../credential.guard.js';
import type { GrantStore } from './grant-store.js';
import { SessionGuard } from '../session/session.guard.js';

const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const TOKEN = { buyerId: BUYER, clientId: 'assistant-1', scopes: ['offers:read', 'offers:write'] };
const GRANT = { scopes: ['offers:read', 'requests:submit'], isHosted: true, changesGranted: true };

class Controller {
  @Endpoint(endpoint())
  list(): void {
    return;
  }
}

/** What passport strategies may do, said by a strategy that does it. */
type Deed = (strategy: passport.Strategy & passport.StrategyCreatedStatic) => void;

describe('the path of bearer tokens through passport', () => {
  let deadline: Deadline;
  let raw: {
    headers: object;
    rawHeaders: string[];
    context: { deadline: Deadline; principal?: unknown };
  };
  let verifier: jest.Mocked<Pick<AccessTokenVerifier, 'verify'>>;
  let grants: jest.Mocked<Pick<GrantStore, 'find'>>;

  beforeEach(() => {
    deadline = new Deadline(8000);
    raw = {
      headers: { authorization: 'Bearer abc' },
      rawHeaders: ['Authorization', 'Bearer abc'],
      context: { deadline },
    };
    verifier = { verify: jest.fn().mockResolvedValue(TOKEN) };
    grants = { find: jest.fn().mockResolvedValue(GRANT) };
    new AccessTokenStrategy();
  });

  afterEach(() => deadline.finish());

  function signIn(): Promise<boolean> {
    const execution = {
      getHandler: () => Controller.prototype.list,
      getClass: () => Controller,
      switchToHttp: () => ({ getRequest: () => ({ raw }), getResponse: () => ({}) }),
    } as unknown as ExecutionContext;
    const bearer = new BearerGuard(new AssistantAuthenticator(verifier, grants));
    const session = new SessionGuard({} as never, {} as never);
    return new CredentialGuard(bearer, session).canActivate(execution);
  }

  function strategyThat(does: Deed): void {
    const strategy = {
      name: ACCESS_TOKEN_STRATEGY,
      authenticate(this: passport.Strategy & passport.StrategyCreatedStatic) {
        does(this);
      },
    };
    passport.use(ACCESS_TOKEN_STRATEGY, strategy as unknown as passport.Strategy);
  }

  it('makes an assistant of a good token, with the scopes of both token and grant', async () => {
    await expect(signIn()).resolves.toBe(true);
    const { scopes, ...principal } = raw.context.principal as AssistantPrincipal;
    expect([...scopes]).toEqual(['offers:read']);
    expect(principal).toEqual({
      type: 'assistant',
      buyerId: BUYER,
      clientId: 'assistant-1',
      isHosted: true,
      seesChanges: true,
    });
  });

  it('does not report keys out of reach as a failed login', async () => {
    verifier.verify.mockRejectedValue(new Error('ECONNREFUSED'));
    await expect(signIn()).rejects.toMatchObject({ code: 'auth_unverifiable' });
  });

  it('reports a refuted token as one', async () => {
    verifier.verify.mockRejectedValue(new AppError('unauthenticated'));
    await expect(signIn()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(grants.find).not.toHaveBeenCalled();
  });

  it.each<[string, Deed, string]>([
    ['passes', (strategy) => strategy.pass(), 'unauthenticated'],
    [
      'succeeds without a principal',
      (strategy) => strategy.success(undefined as never),
      'unauthenticated',
    ],
    [
      'succeeds with an unknown type',
      (strategy) => strategy.success({ type: 'dealer' }),
      'unauthenticated',
    ],
    ['fails without a reason', (strategy) => strategy.fail(401), 'unauthenticated'],
    [
      'fails for a reason that is an error',
      (strategy) => strategy.fail(new Error('keys'), 401),
      'auth_unverifiable',
    ],
    [
      'fails because it could not decide',
      (strategy) => strategy.fail(new AppError('auth_unverifiable'), 401),
      'auth_unverifiable',
    ],
    ['errs', (strategy) => strategy.error(new Error('defect')), 'auth_unverifiable'],
  ])('rejects the request when the strategy %s', async (_what, does, code) => {
    strategyThat(does);
    await expect(signIn()).rejects.toMatchObject({ code });
  });

  it('serves two applications of one process each with its own parts', async () => {
    const other = jest.fn().mockRejectedValue(new AppError('unauthenticated'));
    const first = signIn();
    verifier = { verify: other };
    await expect(signIn()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(first).resolves.toBe(true);
  });

  it('does not start once the time of the request is over', async () => {
    deadline.end();
    await expect(signIn()).rejects.toMatchObject({ code: 'unavailable' });
    expect(verifier.verify).not.toHaveBeenCalled();
  });
});

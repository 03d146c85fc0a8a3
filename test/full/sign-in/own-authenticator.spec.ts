import {
  ApprovedAssistants,
  AssistantAuthenticator,
  bearerToken,
  JwtAuthenticator,
  type AssistantPrincipal,
  type SignInRequest,
} from '../../../src/index.js';
import { bearer, LIST } from '../../setup/http-call.js';
import type { HostOptions, TestService } from '../../setup/test-service.js';
import { KeyServer } from '../../../packages/testing/src/key-server.js';
import { World } from '../../setup/world.js';
import { CLIENT } from '../../api/sign-in/sign-in-suite.js';

const OPAQUE = 'an-opaque-token-of-the-application';
const PRODUCTION = { NODE_ENV: 'production' };
const WITHOUT_ISSUER = {
  AUTH_ISSUER: undefined,
  AUTH_AUDIENCE: undefined,
  AUTH_JWKS_URL: undefined,
};

let world: World;
beforeAll(async () => (world = await World.create()));
afterAll(() => world.stop());

/** Accepts one opaque token, and passes any other token to `JwtAuthenticator`. */
const ownAuthenticator = (): HostOptions => ({
  providers: [
    {
      provide: AssistantAuthenticator,
      useFactory: (approved: ApprovedAssistants, standard: JwtAuthenticator) => ({
        authenticate: (request: SignInRequest): Promise<AssistantPrincipal | null> => {
          if (bearerToken(request.headers) !== OPAQUE) return standard.authenticate(request);
          const { id: buyerId } = world.buyer;
          const credential = { buyerId, clientId: CLIENT, scopes: ['offers:read'] };
          return approved.findPrincipal(credential, request.signal);
        },
      }),
      inject: [ApprovedAssistants, JwtAuthenticator],
    },
  ],
});

async function withService(
  env: NodeJS.ProcessEnv,
  options: HostOptions,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await world.start({ env, hostOptions: options });
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

const statusOf = async (service: TestService, token: string): Promise<number> =>
  (await service.call(LIST, bearer(token))).status;

describe('an application in production', () => {
  it('does not start without an issuer', async () => {
    await expect(world.start({ env: { ...PRODUCTION, ...WITHOUT_ISSUER } })).rejects.toThrow(
      /^AUTH_ISSUER: expected to be set, with AUTH_AUDIENCE, unless NODE_ENV is unset/,
    );
  });

  it('needs no issuer if it has an authenticator of its own', () =>
    withService({ ...PRODUCTION, ...WITHOUT_ISSUER }, ownAuthenticator(), async (service) => {
      expect(await statusOf(service, OPAQUE)).toBe(200);
      // Without an issuer, no JWT can be valid.
      expect(await statusOf(service, await world.token())).toBe(401);
      expect(service.logLines.join('')).not.toMatch(/development-issuer|access token issuer/);
    }));
});

describe('an own authenticator', () => {
  it('does without the keys of the issuer, until it uses the default one', async () => {
    const keyServer = await KeyServer.start();
    keyServer.publish(world.issuer.key.jwk);
    try {
      const env = { ...PRODUCTION, AUTH_JWKS_URL: keyServer.url };
      await withService(env, ownAuthenticator(), async (service) => {
        expect(await statusOf(service, OPAQUE)).toBe(200);
        expect(keyServer.requests).toBe(0);
        expect(await statusOf(service, await world.token())).toBe(200);
        expect(keyServer.requests).toBe(1);
      });
    } finally {
      await keyServer.close();
    }
  });
});

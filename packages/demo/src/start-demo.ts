import { randomBytes } from 'node:crypto';
import { startService, type RunningService } from 'deal-sets';
import {
  demoTokens,
  openDemo,
  publishDemoIssuer,
  type DemoTokens,
  type OpenDemo,
} from 'deal-sets/demo';
import { AuthorizationModule } from './authorization/authorization.module.js';
import {
  AuthorizationServer,
  type AuthorizationOptions,
} from './authorization/authorization-server.js';
import { TokenSecret } from './authorization/token.controller.js';
import { DemoDatabaseModule } from './demo-database.module.js';
import { demoSettings } from './demo-settings.js';
import { PageModule } from './page/page.module.js';

/** A demo that listens. */
export interface RunningDemo {
  readonly world: OpenDemo;
  readonly service: RunningService;
  /** Under which it is reached, without a slash at its end. */
  readonly publicUrl: string;
  /** Access tokens of the assistants that the demo world knows. */
  tokens(): Promise<DemoTokens>;
}

export interface DemoOptions extends AuthorizationOptions {
  /** For the file that lets commands ask for tokens. Default: `.data` in the working directory. */
  readonly directory?: string;
}

/** Loads the demo world and serves it, with the page and an authorization server, on one origin. */
export async function startDemo(
  env: NodeJS.ProcessEnv,
  { directory, ...options }: DemoOptions = {},
): Promise<RunningDemo> {
  const world = await openDemo(demoSettings(env));
  const { publicUrl = '' } = world.settings;
  const secret = new TokenSecret(randomBytes(32).toString('base64url'));
  let withdraw: (() => void) | undefined;
  const close = async (): Promise<void> => {
    withdraw?.();
    await world.close();
  };
  try {
    const authorization = AuthorizationModule.register(secret, options);
    const service = await startService({
      settings: world.settings,
      imports: [
        DemoDatabaseModule.register(world.settings.database.url ?? ''),
        authorization,
        PageModule.register(world, authorization),
      ],
      afterStop: close,
    });
    withdraw = publishDemoIssuer({ issuer: publicUrl, secret: secret.value }, directory);
    const server = service.app.get(AuthorizationServer, { strict: false });
    return {
      world,
      service,
      publicUrl,
      tokens: () => demoTokens((token) => server.issueToken(token)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getDataSourceToken } from '@nestjs/typeorm';
import { startService, TYPEORM_CONNECTION, type RunningService } from 'deal-sets';
import {
  demoTokens,
  openDemo,
  publishDemoIssuer,
  type DemoTokens,
  type OpenDemo,
} from 'deal-sets/demo';
import type { DataSource } from 'typeorm';
import { AuthorizationModule } from './authorization/authorization.module.js';
import {
  AuthorizationServer,
  type AuthorizationOptions,
} from './authorization/authorization-server.js';
import { TokenSecret } from './authorization/token.controller.js';
import { demoSettings } from './demo-settings.js';
import { PageModule } from './page/page.module.js';

const CONNECT_LIMIT_MS = 10_000;

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
    const service = await startService(
      world.settings,
      {
        compatibility: '^2.0',
        imports: [authorization, PageModule.register(world, authorization)],
      },
      { afterStop: close },
    );
    await untilConnected(service);
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

/** The repositories connect in the background; the pages need them. */
async function untilConnected({ app }: RunningService): Promise<void> {
  const dataSource = app.get<DataSource>(getDataSourceToken(TYPEORM_CONNECTION), { strict: false });
  const until = Date.now() + CONNECT_LIMIT_MS;
  while (!dataSource.isInitialized && Date.now() < until) await pause(20);
}

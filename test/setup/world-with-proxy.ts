import type { TimeLimits } from '../../src/kernel/time-limits.js';
import { smallWorld } from '../builders/index.js';
import { eventually } from './eventually.js';
import { LIST, type HttpResponse } from './http-call.js';
import { portOf, proxiedUrl, TcpProxy } from './tcp-proxy.js';
import type { TestDatabase } from './test-database.js';
import type { Credential, TestService } from './test-service.js';
import { World } from './world.js';

export interface Call {
  readonly path: string;
  readonly credential: Credential;
}

/** A response, and the time until it arrived, in milliseconds. */
export type TimedResponse = HttpResponse & { readonly tookMs: number };

export interface WorldWithProxyOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<TimeLimits>;
  /** A database that the caller created and drops. Default: a new one. */
  readonly database?: TestDatabase;
  /** A proxy that the caller started and stops. Default: a new one. */
  readonly proxy?: TcpProxy;
}

/** A world with a service that reaches the database through a proxy, which can fail. */
export class WorldWithProxy extends World {
  /** Both endpoints for both principals: list and get of the session, then of the assistant. */
  readonly calls: readonly [Call, Call, Call, Call];

  private constructor(
    world: World,
    readonly proxy: TcpProxy,
    readonly service: TestService,
    release: () => Promise<void>,
  ) {
    super(world.database, world.issuer, world.buyer, release);
    const { session, assistant, getPath } = world.buyer;
    this.calls = [
      { path: LIST, credential: session },
      { path: getPath, credential: session },
      { path: `${LIST}?since=1970-01-01T00:00:00Z`, credential: assistant },
      { path: getPath, credential: assistant },
    ];
  }

  /** Creates a world and starts its service. The caller stops it. */
  static async open({
    env,
    limits = {},
    ...options
  }: WorldWithProxyOptions = {}): Promise<WorldWithProxy> {
    // The buyer granted changes, so the assistant's poll runs the statement with replies.
    const content = smallWorld({ changesGranted: true });
    const world = await World.create({
      content,
      ...(options.database && { database: options.database }),
    });
    const { url } = world.database;
    const proxy = options.proxy ?? (await TcpProxy.start(portOf(url)));
    const service = await world.start({
      env: { DATABASE_URL: proxiedUrl(proxy, url), ...env },
      limits,
    });
    return new WorldWithProxy(world, proxy, service, async () => {
      proxy.heal();
      await service.stop();
      if (!options.proxy) await proxy.stop();
      await world.stop();
    });
  }

  /** Makes each of `calls` the given number of times, all at once. */
  callEveryEndpoint(times = 1): Promise<TimedResponse[]> {
    const all = Array.from({ length: times }, () => this.calls).flat();
    return Promise.all(all.map((call) => callTimed(this.service, call)));
  }

  /** Repeats the calls until each one gets 200. */
  async recover(): Promise<void> {
    for (const call of this.calls)
      await eventually(async () => expect((await callTimed(this.service, call)).status).toBe(200));
  }
}

/** Makes one call and checks its response against the API description. */
export async function callTimed(service: TestService, call: Call): Promise<TimedResponse> {
  const startedAt = performance.now();
  const response = await service.get(call.path, call.credential);
  return { ...response, tookMs: performance.now() - startedAt };
}

/** Asserts that all responses have this status and code. */
export function expectEveryResponse(
  responses: readonly TimedResponse[],
  status: number,
  code?: string,
): void {
  for (const response of responses)
    expect([response.status, response.code]).toEqual([status, code]);
}

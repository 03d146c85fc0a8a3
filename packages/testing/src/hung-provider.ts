import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ContractTest } from './contract-test.js';

/** An implementation whose dependency accepts every call and never responds. */
export interface HungProvider<P> {
  readonly provider: P;
  /** Returns the number of calls to the dependency that are open now. */
  readonly openCalls: () => number | Promise<number>;
  /** Stops the dependency. */
  readonly stop: () => void | Promise<void>;
}

/**
 * Creates an implementation whose dependency hangs; null if the implementation makes no calls
 * outside the process.
 */
export type HungFixture<P> = (() => Promise<HungProvider<P>>) | null;

/**
 * Starts an HTTP server that accepts requests and never responds: the dependency of an
 * implementation that sends HTTP requests.
 */
export async function startHungServer(): Promise<{
  readonly url: string;
  readonly openCalls: () => number;
  readonly stop: () => void;
}> {
  let open = 0;
  const server = createServer((_request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    openCalls: () => open,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** How long a test waits for a call to begin or to end. The tests of the kit itself shorten it. */
export const PATIENCE = { milliseconds: 30_000 };

/**
 * Returns the test that every implementation with I/O has to pass: an aborted call does not stay
 * open. Returns no test if `hung` is null.
 */
export function givesUpHungCalls<P>(
  hung: HungFixture<P>,
  call: (provider: P, signal: AbortSignal) => Promise<unknown>,
): readonly ContractTest[] {
  if (hung === null) return [];
  return [
    {
      name: 'ends its call to a dependency that hangs when its signal is aborted',
      async run() {
        const { provider: provider, openCalls, stop } = await hung();
        const controller = new AbortController();
        try {
          let outcome = 'pending';
          void call(provider, controller.signal).then(
            () => (outcome = 'resolved'),
            () => (outcome = 'rejected'),
          );
          await until(async () => (await openCalls()) > 0, 'the dependency was never called');
          controller.abort();
          await until(() => outcome === 'rejected', 'the call did not reject');
          await until(
            async () => (await openCalls()) === 0,
            'the call to the dependency is still open: pass the signal on to it',
          );
        } finally {
          await stop();
        }
      },
    },
  ];
}

async function until(isTrue: () => boolean | Promise<boolean>, problem: string): Promise<void> {
  const endsAt = performance.now() + PATIENCE.milliseconds;
  while (!(await isTrue())) {
    assert.ok(performance.now() < endsAt, problem);
    await pause(10);
  }
}

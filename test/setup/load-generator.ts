import { setTimeout as sleep } from 'node:timers/promises';
import { callTimed, type TimedResponse, type WorldWithProxy } from './world-with-proxy.js';

/** Callers that each make one call after another until they are stopped. */
export class LoadGenerator {
  readonly responses: TimedResponse[] = [];
  readonly #callers: Promise<void>[];
  #isDone = false;

  constructor(world: WorldWithProxy, callers: number) {
    this.#callers = Array.from({ length: callers }, async (_, index) => {
      while (!this.#isDone) {
        this.responses.push(
          await callTimed(world.service, world.calls[index % world.calls.length]!),
        );
        await sleep(2);
      }
    });
  }

  async stop(): Promise<TimedResponse[]> {
    this.#isDone = true;
    await Promise.all(this.#callers);
    return this.responses;
  }
}

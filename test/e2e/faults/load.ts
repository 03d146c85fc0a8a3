import { setTimeout as sleep } from 'node:timers/promises';
import { timed, type Call, type FaultWorld, type TimedAnswer } from './fault-world.js';

/** Callers who call one after the other without end, until stopped. */
export class Load {
  readonly answers: TimedAnswer[] = [];
  readonly #callers: Promise<void>[];
  #isDone = false;

  /** @param pauseMs between an answer and the caller's next call. */
  constructor(
    private readonly world: FaultWorld,
    callers: number,
    private readonly pauseMs = 2,
  ) {
    this.#callers = Array.from({ length: callers }, (_, index) =>
      this.#call(world.calls[index % world.calls.length]!),
    );
  }

  /** Codes of all answers so far but good ones, with how often each came. */
  get refusals(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { code } of this.answers)
      if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1;
    return counts;
  }

  async stop(): Promise<TimedAnswer[]> {
    this.#isDone = true;
    await Promise.all(this.#callers);
    return this.answers;
  }

  async #call(call: Call): Promise<void> {
    while (!this.#isDone) {
      this.answers.push(await timed(this.world.service, call));
      await sleep(this.pauseMs);
    }
  }
}

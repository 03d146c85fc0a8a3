import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Turn, TurnResult } from './load-child.js';

/** The load generator, in a process of its own so that the measuring does not disturb it. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(new URL('./load-child.js', import.meta.url));

  async take(turn: Turn): Promise<TurnResult> {
    this.#child.send(turn);
    const [result] = (await once(this.#child, 'message')) as [TurnResult];
    return result;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}

/** Work that one request of a buyer waits for. It rejects and never throws, like any async function. */
type Task = () => Promise<void>;

/**
 * Runs tasks one after the other and alternates between buyers, so that a buyer with many tasks does
 * not keep the others waiting for all of them.
 */
export class BuyersInLine {
  /** The tasks that have not begun, by buyer. The first buyer is the one whose task runs. */
  readonly #waiting = new Map<string, Task[]>();

  /** Runs a task once it is the buyer's turn, and settles like the task. */
  run(buyerId: string, task: Task): Promise<void> {
    return new Promise((resolve, reject) => {
      const isIdle = this.#waiting.size === 0;
      const tasks = this.#waiting.get(buyerId) ?? [];
      tasks.push(() => task().then(resolve, reject));
      this.#waiting.set(buyerId, tasks);
      if (isIdle) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    // The loop also visits the buyers that are added while it runs.
    for (const [buyerId, tasks] of this.#waiting) {
      await tasks.shift()?.();
      this.#waiting.delete(buyerId);
      if (tasks.length > 0) this.#waiting.set(buyerId, tasks);
    }
  }
}

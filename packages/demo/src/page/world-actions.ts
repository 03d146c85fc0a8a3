import { Injectable, Logger } from '@nestjs/common';
import { failureText } from '@deal-sets/service/operations';
import { DemoWorld } from '../open-demo.js';
import * as changes from './world-changes.js';

/** The result of a change to the demo world. */
export interface ActionResult {
  readonly isDone: boolean;
  /** A message to show on the page. It never contains a dealership's name. */
  readonly message: string;
}

/** The deal set that an action changes, and its buyer. */
export interface ActionTarget {
  readonly buyerId: string;
  readonly dealSetId: string;
}

const CHANGES: Readonly<Record<string, changes.Change>> = {
  reply: changes.reply,
  price: changes.price,
  unlock: changes.unlock,
  end: changes.end,
};

/** Changes the demo world in the way a supplier of data does: by importing records. */
@Injectable()
export class WorldActions {
  readonly #logger = new Logger('Demo');
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly world: DemoWorld) {}

  /**
   * Runs an action. A failure is logged and reported in the result.
   *
   * @returns undefined if there is no such action.
   */
  run(action: string, target: ActionTarget): Promise<ActionResult | undefined> {
    // Actions run one after another, because each change builds on the records of the previous one.
    const result = this.#last.then(() =>
      this.#run(action, target).catch((error: unknown) => this.#failed(error)),
    );
    this.#last = result;
    return result;
  }

  async #run(action: string, target: ActionTarget): Promise<ActionResult | undefined> {
    if (action === 'restore') {
      await this.world.startOver(target.buyerId);
      return { isDone: true, message: 'Everything is back to how the demo started.' };
    }
    const change = Object.hasOwn(CHANGES, action) ? CHANGES[action] : undefined;
    if (!change) return undefined;
    const { records } = this.world;
    const set = records.find(
      (record) =>
        record.record === 'dealSet' &&
        record.id === target.dealSetId &&
        record.buyerId === target.buyerId,
    );
    if (set?.record !== 'dealSet') {
      return { isDone: false, message: 'Choose a request to several dealerships first.' };
    }
    if (set.endedAt) {
      return { isDone: false, message: 'This request has ended. Choose another, or start over.' };
    }
    const outcome = change(set, records, new Date().toISOString());
    if (typeof outcome === 'string') return { isDone: false, message: outcome };
    await this.world.load(outcome.records);
    return { isDone: true, message: outcome.message };
  }

  /**
   * Logs the reason, which may name records, and returns a message with the next steps for the
   * visitor.
   */
  #failed(error: unknown): ActionResult {
    this.#logger.error({ msg: 'demo action failed', action: 'import', reason: failureText(error) });
    const message =
      'The demo could not do that; its terminal shows the reason. Try “Start over”. If that fails too, stop the demo, delete the folder .data and start it again.';
    return { isDone: false, message };
  }
}

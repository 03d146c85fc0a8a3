import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ImportRecord } from '@deal-sets/service/operations';
import { DemoWorld } from '../open-demo.js';
import { CLIENT_ID } from './page-assistant.js';
import * as changes from './world-changes.js';

export interface ActionResult {
  readonly isDone: boolean;
  /** For people; without a dealership's name. */
  readonly message: string;
}

export interface ActionTarget {
  readonly buyerId: string;
  readonly dealSetId: string;
  /** Whether the page's assistant is approved. */
  readonly isApproved: boolean;
}

const CHANGES: Readonly<Record<string, changes.Change>> = {
  reply: changes.reply,
  price: changes.price,
  unlock: changes.unlock,
  end: changes.end,
};

/**
 * Changes the world as a supplier of data does: by importing records. A record replaces the stored one
 * whole, so the records as they were loaded last are kept here.
 */
@Injectable()
export class WorldActions {
  readonly #stored: Map<string, ImportRecord>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly world: DemoWorld) {
    this.#stored = new Map(world.records.map((record) => [record.id, record]));
  }

  /** Undefined: there is no such action. */
  run(action: string, target: ActionTarget): Promise<ActionResult | undefined> {
    // One after the other: each change builds on the records of the one before.
    const result = this.#last.then(() => this.#run(action, target));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #run(action: string, target: ActionTarget): Promise<ActionResult | undefined> {
    if (action === 'restore') return this.#restore(target);
    const change = Object.hasOwn(CHANGES, action) ? CHANGES[action] : undefined;
    if (!change) return undefined;
    const records = [...this.#stored.values()];
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
    await this.#load(outcome.records);
    return { isDone: true, message: outcome.message };
  }

  /** The buyer's requests as the demo began with, and her approval. */
  async #restore({ buyerId, isApproved }: ActionTarget): Promise<ActionResult> {
    const began = new Set(this.world.records.map(({ id }) => id));
    const answeredAt = new Date().toISOString();
    const added = [...this.#stored.values()].flatMap((record) =>
      record.record === 'question' && !began.has(record.id) ? [{ ...record, answeredAt }] : [],
    );
    const own = this.world.records.flatMap((record): ImportRecord[] => {
      if (record.record === 'dealSet' || record.record === 'priceCheck') {
        return record.buyerId === buyerId ? [record] : [];
      }
      // A second approval of one assistant would be refused; one that was revoked does not come back, so it is a new one.
      return record.record === 'grant' &&
        record.buyerId === buyerId &&
        record.clientId === CLIENT_ID &&
        !isApproved
        ? [{ ...record, id: randomUUID(), grantedAt: answeredAt }]
        : [];
    });
    await this.#load([...own, ...added]);
    return { isDone: true, message: 'Her requests are as the demo began with.' };
  }

  async #load(records: readonly ImportRecord[]): Promise<void> {
    await this.world.load(records);
    for (const record of records) this.#stored.set(record.id, record);
  }
}

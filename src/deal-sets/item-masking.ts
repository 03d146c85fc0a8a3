import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BuyersInLine } from './buyers-in-line.js';
import type { NeedsYouFacts } from './domain/facts.js';
import { maskItem } from './views/shown-words.js';

/** How long masking may keep the process from other work at a time, in milliseconds. */
const TURN_MS = 5;

/**
 * Masks the questions and drafts of deal sets without keeping the process from other work: a deal
 * set with many long texts takes hundreds of milliseconds.
 *
 * Deal sets that take longer than one turn wait in line and are masked one after the other. If all
 * took turns, none would be ready before its deadline on a process that has more work than it can
 * handle.
 */
@Injectable()
export class ItemMasking {
  readonly #line = new BuyersInLine();

  /**
   * Masks the items of one deal set like `maskItem`.
   *
   * @throws the reason of the signal, at the next turn after it was aborted.
   */
  async mask(
    items: readonly NeedsYouFacts[],
    buyerId: string,
    signal: AbortSignal,
  ): Promise<NeedsYouFacts[]> {
    const masked: NeedsYouFacts[] = [];
    maskOneTurn(items, masked);
    if (masked.length === items.length) return masked;
    await this.#line.run(buyerId, async () => {
      while (masked.length < items.length) {
        await setImmediate();
        signal.throwIfAborted();
        maskOneTurn(items, masked);
      }
    });
    return masked;
  }
}

/** Appends masked items until the turn is over or all are masked, but at least one. */
function maskOneTurn(items: readonly NeedsYouFacts[], masked: NeedsYouFacts[]): void {
  const endsAt = performance.now() + TURN_MS;
  for (const item of items.slice(masked.length)) {
    masked.push(maskItem(item));
    if (performance.now() > endsAt) break;
  }
}

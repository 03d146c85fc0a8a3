import type { DealSetResult, NeedsYouItem } from '@deal-sets/client';
import { isSame } from './compare.js';
import { rowsByKey } from './rows.js';

/** How long a change stays highlighted, in milliseconds. */
const HIGHLIGHT_MS = 4_000;

/** Returns a key that identifies a question or a draft on both sides. */
export function itemKey(item: NeedsYouItem): string {
  return JSON.stringify([
    item.kind,
    item.rowKey,
    item.kind === 'draft' ? item.requestId : item.promptId,
  ]);
}

/** Returns the parts of a deal set that are highlighted when they change, by key. */
function partsOf(result: DealSetResult): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['car', [result.car, result.counts.total]],
    ...result.needsYou.map((item) => [itemKey(item), item] as const),
    // A new lowest price changes the difference in every row, so differences are not compared.
    ...[...rowsByKey(result)].map(
      ([key, row]) => [key, { ...row, gapToLowestCents: null }] as const,
    ),
  ]);
}

/** Records which parts of a deal set changed recently, so that a redraw does not lose them. */
export class Changes {
  #id: string | undefined;
  #parts: ReadonlyMap<string, unknown> = new Map();
  readonly #changedAtMs = new Map<string, number>();

  /** Compares a result with the previous one and records which parts changed. */
  note(result: DealSetResult): void {
    const parts = partsOf(result);
    if (this.#id !== result.dealSetId) this.#changedAtMs.clear();
    else {
      for (const [key, text] of parts) {
        if (!isSame(text, this.#parts.get(key))) this.#changedAtMs.set(key, Date.now());
      }
    }
    this.#id = result.dealSetId;
    this.#parts = parts;
  }

  /**
   * Highlights the element if its part changed recently. After a redraw the fading continues from
   * the same point.
   */
  mark(element: HTMLElement, key: string): HTMLElement {
    return highlight(element, this.#changedAtMs.get(key) ?? 0);
  }
}

/**
 * Highlights an element if it changed recently.
 *
 * @param changedAtMs the time of the change in epoch milliseconds.
 * @returns the same element.
 */
export function highlight(element: HTMLElement, changedAtMs: number): HTMLElement {
  const ageMs = Date.now() - changedAtMs;
  if (ageMs < HIGHLIGHT_MS) {
    element.classList.add('fresh');
    element.dataset['changedAt'] = String(changedAtMs);
    element.style.animationDelay = `-${ageMs}ms`;
  }
  return element;
}

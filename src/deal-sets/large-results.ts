/**
 * Open items from which a deal set counts as large. With long drafts on 150 rows view and JSON take some 20 ms: forty
 * that arrive together would hold up everyone else for as long as all of them take.
 */
export const LARGE_RESULT_ITEMS = 50;

/** Large results are made one in a turn of the event loop, so that other requests get theirs in between. */
export class LargeResults {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of the event loop that no other caller gets. */
  turn(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}

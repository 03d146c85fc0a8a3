import type { KeyObject } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { downloadKeySet } from './key-set-download.js';
import { keyName, readKeySet, type KeysByName } from './key-set-document.js';
import type { SigningAlgorithm } from '../access-token/token-header.js';
import type { VerificationKeys } from './verification-keys.js';

/** Times in milliseconds. */
export interface KeySetTimes {
  /** Between two refreshes in the background: a withdrawn key is refused this much later at most. */
  readonly refreshEvery: number;
  /** While the issuer is out of reach, the keys it last published are believed for so long. */
  readonly staleFor: number;
  /** For one download. */
  readonly downloadLimit: number;
  /** After a failed download nothing is asked of the issuer for so long. */
  readonly pauseAfterFailure: number;
  /** Between two downloads that unknown key ids have caused, once `UNKNOWN_KEY_BURST` were made. */
  readonly pausePerUnknownKey: number;
}

export const KEY_SET_TIMES: KeySetTimes = {
  refreshEvery: 60_000,
  staleFor: 600_000,
  downloadLimit: 900,
  pauseAfterFailure: 2_000,
  pausePerUnknownKey: 500,
};

/** So many unknown key ids are looked up at once before the pauses between look-ups begin. */
const UNKNOWN_KEY_BURST = 4;

/** How a download went, for the log and the metrics. */
export type DownloadObserver = (failure: unknown) => void;

/**
 * The keys that the issuer publishes at its one address, kept fresh in the background.
 *
 * An unknown key id is refuted only by a key set that was asked for after the id was presented, so a key
 * is good from the moment it is published, also amid a flood of invented ids: those wait for the next
 * look-up together, and the issuer sees two look-ups a second at most.
 */
export class IssuerKeySet implements VerificationKeys {
  #keys: KeysByName = new Map();
  /** When the download of `#keys` began; `performance.now()`. */
  #askedAt = -Infinity;
  #failedAt = -Infinity;
  #lastFailure: unknown;
  #download: Promise<void> | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #unknownKeyCredit = UNKNOWN_KEY_BURST;
  #creditCountedAt = performance.now();
  readonly #stop = new AbortController();

  constructor(
    private readonly url: string,
    private readonly observe: DownloadObserver = () => undefined,
    private readonly times: KeySetTimes = KEY_SET_TIMES,
  ) {}

  /** Begins to keep the keys fresh. Does not wait: the service starts also while the issuer is down. */
  start(): void {
    void this.#renew().catch(() => undefined);
  }

  /** Ends the refreshes, and a download that is under way. */
  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#refresh);
  }

  /** Milliseconds since the keys in use were asked for; Infinity before there are any. */
  get ageMs(): number {
    return performance.now() - this.#askedAt;
  }

  known(keyId: string, algorithm: SigningAlgorithm): KeyObject | undefined {
    return this.ageMs > this.times.staleFor ? undefined : this.#keys.get(keyName(keyId, algorithm));
  }

  async find(keyId: string, algorithm: SigningAlgorithm): Promise<KeyObject | undefined> {
    const presentedAt = performance.now();
    let key = this.known(keyId, algorithm);
    while (!key && this.#askedAt < presentedAt) {
      // Without valid keys a flood looks like a start: the back-off after failures is enough.
      const hasKeys = this.ageMs < this.times.staleFor;
      const waitMs = this.#download || !hasKeys ? 0 : this.#takeUnknownKeyCredit();
      // The first waiter to wake downloads for all of them.
      await (waitMs > 0 ? delay(waitMs) : this.#renew());
      key = this.known(keyId, algorithm);
    }
    return key;
  }

  /** @returns milliseconds to wait before the issuer may be asked again. */
  #takeUnknownKeyCredit(): number {
    const now = performance.now();
    const earned = (now - this.#creditCountedAt) / this.times.pausePerUnknownKey;
    this.#unknownKeyCredit = Math.min(UNKNOWN_KEY_BURST, this.#unknownKeyCredit + earned);
    this.#creditCountedAt = now;
    if (this.#unknownKeyCredit < 1) {
      return Math.ceil((1 - this.#unknownKeyCredit) * this.times.pausePerUnknownKey);
    }
    this.#unknownKeyCredit -= 1;
    return 0;
  }

  /** Downloads the key set, or joins the download under way. */
  #renew(): Promise<void> {
    if (performance.now() - this.#failedAt < this.times.pauseAfterFailure) {
      return Promise.reject(new Error('the key set is out of reach', { cause: this.#lastFailure }));
    }
    this.#download ??= this.#replaceKeys().finally(() => {
      this.#download = undefined;
    });
    return this.#download;
  }

  async #replaceKeys(): Promise<void> {
    const askedAt = performance.now();
    let next = this.times.refreshEvery;
    try {
      const text = await downloadKeySet(this.url, this.times.downloadLimit, this.#stop.signal);
      this.#keys = keepingSameKeys(readKeySet(text), this.#keys);
      this.#askedAt = askedAt;
      this.#failedAt = -Infinity;
      this.observe(undefined);
    } catch (failure) {
      this.#failedAt = performance.now();
      this.#lastFailure = failure;
      next = this.times.pauseAfterFailure;
      if (!this.#stop.signal.aborted) this.observe(failure);
      throw failure;
    } finally {
      this.#scheduleRefresh(next);
    }
  }

  #scheduleRefresh(afterMs: number): void {
    clearTimeout(this.#refresh);
    if (this.#stop.signal.aborted) return;
    // A millisecond more than the pause after a failure, so that the pause is over.
    this.#refresh = setTimeout(() => this.start(), afterMs + 1);
    this.#refresh.unref();
  }
}

/** The new keys, each as the very object it was before where it has not changed: tokens are tied to it. */
function keepingSameKeys(fresh: KeysByName, before: KeysByName): KeysByName {
  const kept = new Map(fresh);
  for (const [name, key] of fresh) {
    const old = before.get(name);
    if (old?.equals(key)) kept.set(name, old);
  }
  return kept;
}

import { KeyObject, type webcrypto } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { TokenIssuer, type SigningAlgorithm } from './decode-access-token.js';

/** Milliseconds. */
export interface KeySetTimes {
  /** For one download, the last byte included. */
  readonly download: number;
  /** A downloaded key set is asked for again after so long. */
  readonly refresh: number;
  /** While the issuer is out of reach, the keys it last published are used for so long after their download. */
  readonly stale: number;
  /** Between two downloads that unknown key ids cause, and after a download that failed. */
  readonly cooldown: number;
}

export const KEY_SET_TIMES: KeySetTimes = {
  download: 900,
  refresh: 600_000,
  stale: 1_200_000,
  cooldown: 500,
};

/** Far more than a key set needs; a longer response is aborted. */
const MAX_BYTES = 65_536;
const MIN_RSA_BITS = 2048;

/** How a download went, for the log and the metrics: undefined is a success. */
export type DownloadObserver = (failure: unknown) => void;

/**
 * The configured issuer, whose key set is downloaded from one fixed address.
 *
 * An unknown key id is refuted only by a key set that was asked for after the id was presented, so a key is good
 * from the moment it is published; ids that come during the cool-down wait for the next download together.
 */
export class RemoteIssuer extends TokenIssuer {
  #find: ReturnType<typeof createLocalJWKSet> | undefined;
  /** When the key set in use was asked for. */
  #askedAt = -Infinity;
  #triedAt = -Infinity;
  #hasFailed = false;
  #download: Promise<void> | undefined;
  readonly #keys = new WeakMap<webcrypto.CryptoKey, KeyObject>();

  constructor(
    readonly issuer: string,
    readonly audiences: readonly string[],
    private readonly url: string,
    private readonly observe: DownloadObserver = () => undefined,
    private readonly times: KeySetTimes = KEY_SET_TIMES,
  ) {
    super();
  }

  /**
   * Begins to download the keys, and does not wait: the service starts also while the issuer is down. A failure does
   * not hold up the first request: an issuer that is served by this very process answers only once it listens.
   */
  warmUp(): void {
    this.#refresh().catch(() => {
      if (!this.#find) this.#hasFailed = false;
    });
  }

  override async findKey(
    keyId: string,
    algorithm: SigningAlgorithm,
  ): Promise<KeyObject | undefined> {
    const presentedAt = performance.now();
    const age = presentedAt - this.#askedAt;
    if (age >= this.times.refresh) {
      const isStale = age >= this.times.stale;
      const refreshed = this.#refresh().catch((failure: unknown) => {
        if (isStale) throw failure;
      });
      // While the issuer fails, the last keys are used at once.
      if (isStale || !this.#hasFailed) await refreshed;
    }
    let key = await this.#lookUp(keyId, algorithm);
    while (!key && this.#askedAt < presentedAt) {
      const wait = this.#triedAt + this.times.cooldown - performance.now();
      if (wait > 0) await pause(wait + 1, undefined, { ref: false });
      await this.#refresh();
      key = await this.#lookUp(keyId, algorithm);
    }
    return key;
  }

  async #lookUp(kid: string, alg: SigningAlgorithm): Promise<KeyObject | undefined> {
    try {
      const found = await this.#find?.({ kid, alg }, { payload: '', signature: '' });
      return found && this.#usable(found);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  /** passport-jwt's library takes a `KeyObject`; jose's keys are of Web Crypto. */
  #usable(cryptoKey: webcrypto.CryptoKey): KeyObject | undefined {
    const key = this.#keys.get(cryptoKey) ?? KeyObject.from(cryptoKey);
    this.#keys.set(cryptoKey, key);
    const { modulusLength = MIN_RSA_BITS } = key.asymmetricKeyDetails ?? {};
    return modulusLength < MIN_RSA_BITS ? undefined : key;
  }

  /** One download at a time. @throws when it fails, or the last one has failed and the cool-down is not over. */
  #refresh(): Promise<void> {
    this.#download ??= this.#replaceKeys().finally(() => (this.#download = undefined));
    return this.#download;
  }

  async #replaceKeys(): Promise<void> {
    const askedAt = performance.now();
    if (this.#hasFailed && askedAt - this.#triedAt < this.times.cooldown) {
      throw new Error('the last download failed');
    }
    try {
      this.#triedAt = askedAt;
      const keySet = await downloadKeySet(this.url, AbortSignal.timeout(this.times.download));
      this.#find = createLocalJWKSet(keySet);
      this.#askedAt = askedAt;
      this.#hasFailed = false;
      this.observe(undefined);
    } catch (failure) {
      this.#triedAt = performance.now();
      this.#hasFailed = true;
      this.observe(failure);
      throw failure;
    }
  }
}

/** @throws on anything but a complete 200 in time and size with a usable key: a set without one refutes nothing. */
async function downloadKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal,
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error('JWKS response status is not 200');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body and with it the connection.
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error('the key set is too long');
    chunks.push(chunk);
  }
  const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  const { keys } = JSON.parse(text) as Partial<JSONWebKeySet>;
  if (!Array.isArray(keys) || !keys.some(isSigningKey)) {
    throw new Error('the key set has no usable key');
  }
  return { keys };
}

function isSigningKey(jwk: { readonly kty?: unknown; readonly use?: unknown } | null): boolean {
  return (jwk?.kty === 'EC' || jwk?.kty === 'RSA') && (jwk.use ?? 'sig') === 'sig';
}

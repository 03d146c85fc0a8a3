import { KeyObject, type webcrypto } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, errors } from 'jose';
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
 * The configured issuer: its keys are jose's remote key set, downloaded from one fixed address.
 *
 * An unknown key id is refuted only by a key set that was asked for after the id was presented, so a key is good
 * from the moment it is published; ids that come during the cool-down wait for the next download together.
 */
export class RemoteIssuer extends TokenIssuer {
  readonly #keySet: ReturnType<typeof createRemoteJWKSet>;
  readonly #keys = new WeakMap<webcrypto.CryptoKey, KeyObject>();
  #good: { readonly text: string; readonly askedAt: number } | undefined;
  #failedAt = -Infinity;

  constructor(
    readonly issuer: string,
    readonly audiences: readonly string[],
    url: string,
    private readonly observe: DownloadObserver = () => undefined,
    private readonly times: KeySetTimes = KEY_SET_TIMES,
  ) {
    super();
    this.#keySet = createRemoteJWKSet(new URL(url), {
      timeoutDuration: times.download,
      cooldownDuration: times.cooldown,
      cacheMaxAge: times.refresh,
      [customFetch]: (address, { signal }) => this.#download(address, signal),
    });
  }

  /**
   * Begins to download the keys, and does not wait: the service starts also while the issuer is down. A failure does
   * not hold up the first request: an issuer that is served by this very process answers only once it listens.
   */
  warmUp(): void {
    void this.#keySet.reload().catch(() => {
      if (!this.#good) this.#failedAt = -Infinity;
    });
  }

  override async findKey(
    keyId: string,
    algorithm: SigningAlgorithm,
  ): Promise<KeyObject | undefined> {
    const presentedAt = performance.now();
    const key =
      (await this.#lookUp(keyId, algorithm)) ??
      (await this.#lookUpAgain(keyId, algorithm, presentedAt));
    return key && this.#usable(key);
  }

  /** jose takes the last good key set for a fresh one when a download has failed: its true age counts. */
  async #refreshWhenOverdue(): Promise<void> {
    if (!this.#good) return;
    const now = performance.now();
    const age = now - this.#good.askedAt;
    if (age >= this.times.stale) await this.#keySet.reload();
    else if (age >= this.times.refresh && now - this.#failedAt >= this.times.cooldown)
      this.warmUp();
  }

  async #lookUp(kid: string, alg: SigningAlgorithm): Promise<webcrypto.CryptoKey | undefined> {
    await this.#refreshWhenOverdue();
    try {
      return await this.#keySet({ kid, alg }, { payload: '', signature: '' });
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  /** @throws when the issuer could not be asked since the id was presented. */
  async #lookUpAgain(
    kid: string,
    alg: SigningAlgorithm,
    presentedAt: number,
  ): Promise<webcrypto.CryptoKey | undefined> {
    if ((this.#good?.askedAt ?? -Infinity) >= presentedAt) return undefined;
    await pause(this.times.cooldown + 1, undefined, { ref: false });
    const key = await this.#lookUp(kid, alg);
    if (!key && (this.#good?.askedAt ?? -Infinity) < presentedAt) {
      throw new Error('the issuer could not be asked for an unknown key');
    }
    return key;
  }

  /** passport-jwt's library takes a `KeyObject`; jose's keys are of Web Crypto. */
  #usable(cryptoKey: webcrypto.CryptoKey): KeyObject | undefined {
    let key = this.#keys.get(cryptoKey);
    if (!key) {
      key = KeyObject.from(cryptoKey);
      this.#keys.set(cryptoKey, key);
    }
    const { modulusLength = MIN_RSA_BITS } = key.asymmetricKeyDetails ?? {};
    return modulusLength < MIN_RSA_BITS ? undefined : key;
  }

  /** A download that fails gives the last key set as long as it may be used. */
  async #download(url: string, signal: AbortSignal): Promise<Response> {
    const askedAt = performance.now();
    try {
      if (askedAt - this.#failedAt < this.times.cooldown)
        throw new Error('the last download failed');
      const text = await downloadKeySet(url, signal).catch((failure: unknown) => {
        this.#failedAt = performance.now();
        this.observe(failure);
        throw failure;
      });
      this.#good = { text, askedAt };
      this.#failedAt = -Infinity;
      this.observe(undefined);
    } catch (failure) {
      if (!this.#good || askedAt - this.#good.askedAt >= this.times.stale) throw failure;
    }
    return new Response(this.#good.text);
  }
}

/** @throws on anything but a complete 200 in time and size with a usable key: a set without one refutes nothing. */
async function downloadKeySet(url: string, signal: AbortSignal): Promise<string> {
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
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (!Array.isArray(keys) || !keys.some(isSigningKey))
    throw new Error('the key set has no usable key');
  return text;
}

function isSigningKey(jwk: { readonly kty?: unknown; readonly use?: unknown } | null): boolean {
  return (jwk?.kty === 'EC' || jwk?.kty === 'RSA') && (jwk.use ?? 'sig') === 'sig';
}

import { KeyObject, type webcrypto } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import type { AuthorizationEndpoints } from '../config/settings.js';
import { downloadText } from './bounded-download.js';
import { discoverIssuer } from './issuer-discovery.js';
import { TokenIssuer, type SigningAlgorithm } from './token-issuer.js';

/** Time limits and intervals of the key set's downloads, in milliseconds. */
export const KEY_SET_TIMES = {
  /** The time limit of one download, from the request to the last byte of the response. */
  download: 900,
  /** A downloaded key set is downloaded again after this time. */
  refresh: 600_000,
  /** The age up to which the last keys are used while the issuer cannot be reached. */
  stale: 1_200_000,
  /** Minimum pause between downloads for unknown key ids, and after a failed download. */
  cooldown: 500,
};
/** The times of `KEY_SET_TIMES`, which tests replace with shorter ones. */
export type KeySetTimes = Readonly<typeof KEY_SET_TIMES>;

const MIN_RSA_BITS = 2048;

/**
 * The configured issuer. Its keys are downloaded into jose's remote key set, either from the
 * configured address or from the address in the issuer's metadata.
 *
 * An unknown key id is rejected only after a download that began after the id was presented, so
 * that a key can be used from the moment it is published. Ids that arrive during the cool-down
 * share the next download.
 */
export class RemoteIssuer extends TokenIssuer {
  readonly #keySet: ReturnType<typeof createRemoteJWKSet>;
  /**
   * When the download of the current key set began, and when a later download failed (`#failedAt`).
   * A value of -Infinity means that there was no such download.
   */
  #askedAt = -Infinity;
  #failedAt = -Infinity;

  /** The address of the key set in the issuer's metadata. */
  #discoveredUrl: string | undefined;
  #authorizationEndpoints: AuthorizationEndpoints | undefined;

  /**
   * @param keySetUrl the address of the key set. Default: the address in the issuer's metadata.
   * @param observe called after each download with its error, or with undefined after a success.
   */
  constructor(
    readonly issuer: string,
    readonly audiences: readonly string[],
    private readonly keySetUrl: string | undefined,
    private readonly observe: (failure: unknown) => void,
    private readonly times: KeySetTimes = KEY_SET_TIMES,
  ) {
    super();
    this.#keySet = createRemoteJWKSet(new URL(keySetUrl ?? issuer), {
      timeoutDuration: times.download,
      cooldownDuration: times.cooldown,
      // `#lookUp` decides when the keys are too old, because jose would not use old keys while a
      // download fails.
      cacheMaxAge: Infinity,
      [customFetch]: (_address, { signal }) => this.#download(signal),
    });
  }

  /** The endpoints in the issuer's metadata, kept while the issuer cannot be reached. */
  override get authorizationEndpoints(): AuthorizationEndpoints | undefined {
    return this.#authorizationEndpoints;
  }

  /**
   * Starts the first download without waiting for it: the service also starts while the issuer is
   * down. A failure does not start the cool-down, because an issuer in the same process cannot
   * respond until it listens.
   *
   * @returns the number of keys, or undefined if the download failed.
   */
  warmUp(): Promise<number | undefined> {
    return this.#keySet.reload().then(
      () => this.#keySet.jwks()?.keys.length,
      () => {
        this.#failedAt = -Infinity;
        return undefined;
      },
    );
  }

  /**
   * Finds a key, and downloads the key set again if the key id is unknown.
   *
   * @throws when the keys are not available, or when the key id is unknown and no download that
   *   began after the id was presented has succeeded.
   */
  override async findKey(
    keyId: string,
    algorithm: SigningAlgorithm,
  ): Promise<KeyObject | undefined> {
    const presentedAt = performance.now();
    let found = await this.#lookUp(keyId, algorithm);
    if (!found && this.#askedAt < presentedAt) {
      await pause(this.times.cooldown + 1, undefined, { ref: false });
      found = await this.#lookUp(keyId, algorithm);
      if (!found && this.#askedAt < presentedAt) throw new Error('JWKS not downloaded since');
    }
    // jsonwebtoken takes a `KeyObject`; jose returns keys of Web Crypto.
    const key = found && KeyObject.from(found);
    const { modulusLength = MIN_RSA_BITS } = key?.asymmetricKeyDetails ?? {};
    return modulusLength < MIN_RSA_BITS ? undefined : key;
  }

  /**
   * Looks up a key. If a refresh is due, the look-up waits for it. If the last refresh failed, the
   * look-up uses the old keys during the next one instead, until they are too old.
   */
  async #lookUp(kid: string, alg: SigningAlgorithm): Promise<webcrypto.CryptoKey | undefined> {
    const age = performance.now() - this.#askedAt;
    if (age >= this.times.stale) await this.#keySet.reload();
    else if (age >= this.times.refresh) {
      const refreshed = this.#keySet.reload().catch(() => undefined);
      if (this.#failedAt < this.#askedAt) await refreshed;
    }
    try {
      return await this.#keySet({ kid, alg }, { payload: '', signature: '' });
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  async #download(signal: AbortSignal): Promise<Response> {
    const askedAt = performance.now();
    if (askedAt - this.#failedAt < this.times.cooldown) throw new Error('JWKS download failed');
    try {
      const url = this.keySetUrl ?? this.#discoveredUrl ?? (await this.#discoverUrl(signal));
      const text = await downloadKeySet(url, signal);
      this.#discoveredUrl = url;
      this.#askedAt = askedAt;
      this.#failedAt = -Infinity;
      this.observe(undefined);
      return new Response(text);
    } catch (failure) {
      this.#failedAt = performance.now();
      // The keys may have moved: the next download looks their address up again.
      this.#discoveredUrl = undefined;
      this.observe(failure);
      throw failure;
    }
  }

  async #discoverUrl(signal: AbortSignal): Promise<string> {
    const { keySetUrl, authorizationEndpoints } = await discoverIssuer(this.issuer, signal);
    this.#authorizationEndpoints = authorizationEndpoints;
    return keySetUrl;
  }
}

/**
 * Downloads and checks a key set.
 *
 * @throws if the response is anything other than a complete 200 response of limited size that
 *   contains a usable key. A key set without a usable key must not replace the current one, because
 *   every token would be rejected.
 */
async function downloadKeySet(url: string, signal: AbortSignal): Promise<string> {
  const text = await downloadText(url, 'application/jwk-set+json, application/json', signal);
  const keySet = JSON.parse(text) as JSONWebKeySet;
  createLocalJWKSet(keySet);
  const isUsable = ({ kty, use = 'sig' }: JWK) => use === 'sig' && (kty === 'EC' || kty === 'RSA');
  if (!keySet.keys.some(isUsable)) throw new Error('JWKS has no usable key');
  return text;
}

import { KeyObject, type webcrypto } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import {
  compactVerify,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWK,
} from 'jose';
import type { TokenFormat } from '../../config/settings-table.js';
import type { AuthorizationEndpoints, IssuerOptions } from '../../config/settings.js';
import { discoverIssuer, type DiscoveredIssuer } from './issuer-discovery.js';
import { IssuerFailure } from './issuer-failure.js';
import { requestJson } from './issuer-request.js';
import { SIGNING_ALGORITHMS, TokenIssuer, type SigningAlgorithm } from './token-issuer.js';

/** Time limits and intervals of the key set's downloads, in milliseconds. */
export const KEY_SET_TIMES = {
  /** The time limit of one download, metadata included. */
  download: 900,
  /** A downloaded key set is downloaded again after this time. */
  refresh: 600_000,
  /** The age up to which the last keys are used while the issuer cannot be reached. */
  stale: 1_200_000,
  /** Minimum pause between downloads for unknown key ids, and after a failed download. */
  cooldown: 500,
  /** Minimum pause between downloads for failed signatures. */
  renewal: 30_000,
};
/** The times of `KEY_SET_TIMES`, which tests replace with shorter ones. */
export type KeySetTimes = Readonly<typeof KEY_SET_TIMES>;

const MIN_RSA_BITS = 2048;

/** What the settings contain about a remote issuer. */
export interface RemoteIssuerOptions extends IssuerOptions {
  /** Default: the endpoints in the issuer's metadata. */
  readonly authorizationEndpoints?: AuthorizationEndpoints | undefined;
}

/**
 * The configured issuer. Its keys are in jose's remote key set, which downloads them from the
 * configured address or from the address in the issuer's metadata.
 *
 * An unknown key id is rejected only after a download that began after the id was presented, so
 * that a key can be used from the moment it is published. Ids that arrive during the cool-down
 * share the next download.
 */
export class RemoteIssuer extends TokenIssuer {
  readonly #keySet: ReturnType<typeof createRemoteJWKSet>;
  /** When the download of the current keys began and ended; -Infinity before the first one. */
  #askedAt = -Infinity;
  #loadedAt = -Infinity;
  /** Set while the last download has failed. */
  #failure: { readonly at: number; readonly error: unknown } | undefined;
  #running: Promise<void> | undefined;
  /** The last download for a failed signature. */
  #renewal = { at: -Infinity, done: Promise.resolve() };

  /** Undefined if the address of the keys has to be looked up in the issuer's metadata. */
  #discovered: DiscoveredIssuer | undefined;
  #authorizationEndpoints: AuthorizationEndpoints | undefined;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly format: TokenFormat;

  /**
   * @param observe called after each download with its error, or with undefined after a success.
   */
  constructor(
    private readonly options: RemoteIssuerOptions,
    private readonly observe: (failure: unknown) => void,
    private readonly times: KeySetTimes = KEY_SET_TIMES,
  ) {
    super();
    this.issuer = options.issuer;
    this.audiences = options.audiences;
    this.format = options;
    this.#keySet = createRemoteJWKSet(new URL(options.jwksUrl ?? options.issuer), {
      timeoutDuration: times.download,
      // This class decides when to download: old keys serve while the issuer is down, and an
      // unknown id needs a download that began after it was presented.
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
      [customFetch]: (_address, options) => this.#requestKeySet(options),
    });
  }

  /**
   * The endpoints in the settings, or those in the issuer's metadata if the settings contain none.
   * They are kept while the issuer cannot be reached.
   */
  override get authorizationEndpoints(): AuthorizationEndpoints | undefined {
    return this.options.authorizationEndpoints ?? this.#authorizationEndpoints;
  }

  /**
   * Starts the first download without waiting for it: the service also starts while the issuer is
   * down. A failure does not start the cool-down, because an issuer in the same process cannot
   * respond until it listens.
   *
   * @returns the number of keys, or undefined if the download failed.
   */
  warmUp(): Promise<number | undefined> {
    return this.#download().then(
      () => this.#keySet.jwks()?.keys.length,
      () => {
        this.#failure = undefined;
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
    token: string,
  ): Promise<KeyObject | undefined> {
    const presentedAt = performance.now();
    await this.#refresh();
    let key = await this.#lookUp(keyId, algorithm, token);
    if (!key) {
      await this.#downloadSince(presentedAt);
      key = await this.#lookUp(keyId, algorithm, token);
    }
    // jsonwebtoken takes a `KeyObject`; jose returns keys of Web Crypto.
    return key && KeyObject.from(key);
  }

  /**
   * Downloads the key set again, at most once in `KEY_SET_TIMES.renewal`. Within this time, calls
   * share the last download. While the issuer cannot be reached, the keys in use decide.
   */
  override async renewKeys(since: number): Promise<boolean> {
    const now = performance.now();
    if (this.#askedAt < since && now - this.#renewal.at >= this.times.renewal) {
      this.#renewal = { at: now, done: this.#download().catch(() => undefined) };
    }
    await this.#renewal.done;
    return this.#loadedAt >= since;
  }

  async #lookUp(
    kid: string,
    alg: SigningAlgorithm,
    token: string,
  ): Promise<webcrypto.CryptoKey | undefined> {
    try {
      return await this.#keySet({ kid, alg });
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyingKey(error, token);
      throw error;
    }
  }

  /**
   * Downloads the keys if that is due. After a failed refresh, requests use the old keys and do not
   * wait for the next attempt, until the keys are too old.
   *
   * @throws the error of the download when the keys are too old.
   */
  async #refresh(): Promise<void> {
    const age = performance.now() - this.#askedAt;
    if (age < this.times.refresh) return;
    const hasFailed = this.#failure !== undefined;
    const download = this.#download();
    if (age >= this.times.stale) return download;
    const ended = download.catch(() => undefined);
    if (!hasFailed) await ended;
  }

  /**
   * Waits until the keys come from a download that began after a time, and pauses between
   * downloads.
   *
   * @param time in milliseconds of `performance.now()`.
   */
  async #downloadSince(time: number): Promise<void> {
    while (this.#askedAt < time) {
      const wait = this.#loadedAt + this.times.cooldown - performance.now();
      if (wait > 0) await pause(wait, undefined, { ref: false });
      await this.#download();
    }
  }

  /** Downloads the keys, or waits for the download that is running. */
  async #download(): Promise<void> {
    if (this.#failure && performance.now() - this.#failure.at < this.times.cooldown) {
      throw this.#failure.error;
    }
    this.#running ??= this.#load().finally(() => (this.#running = undefined));
    await this.#running;
  }

  async #load(): Promise<void> {
    const askedAt = performance.now();
    try {
      await this.#keySet.reload();
    } catch (error) {
      this.#failure = { at: performance.now(), error };
      // The keys may have moved: the next download looks their address up again.
      this.#discovered = undefined;
      this.observe(error);
      throw error;
    }
    this.#askedAt = askedAt;
    this.#loadedAt = performance.now();
    this.#failure = undefined;
    this.observe(undefined);
  }

  async #requestKeySet(options: Parameters<FetchImplementation>[1]): Promise<Response> {
    const url = this.options.jwksUrl ?? (await this.#discoverKeySetUrl(options.signal));
    return Response.json({ keys: await usableKeys(await requestJson(url, options)) });
  }

  async #discoverKeySetUrl(signal: AbortSignal): Promise<string> {
    this.#discovered ??= await discoverIssuer(this.issuer, signal);
    this.#authorizationEndpoints = this.#discovered.authorizationEndpoints;
    return this.#discovered.keySetUrl;
  }
}

/**
 * Returns the first of several keys that verifies the token, or the first of all if none does, so
 * that passport-jwt rejects the token.
 */
async function verifyingKey(
  keys: AsyncIterable<webcrypto.CryptoKey>,
  token: string,
): Promise<webcrypto.CryptoKey | undefined> {
  let first: webcrypto.CryptoKey | undefined;
  for await (const key of keys) {
    first ??= key;
    const isVerified = await compactVerify(token, key).then(
      () => true,
      () => false,
    );
    if (isVerified) return key;
  }
  return first;
}

/**
 * Returns the keys of a key set that jose can use with an accepted algorithm.
 *
 * @throws {IssuerFailure} if there is none. A key set without a usable key must not replace the
 *   current one, because every token would be rejected.
 */
async function usableKeys(keySet: unknown): Promise<readonly JWK[]> {
  const { keys } = (keySet ?? {}) as { readonly keys?: unknown };
  const usable: JWK[] = [];
  for (const key of Array.isArray(keys) ? (keys as readonly JWK[]) : []) {
    if (await isUsable(key)) usable.push(key);
  }
  if (usable.length === 0) throw new IssuerFailure('no_usable_key');
  return usable;
}

async function isUsable(jwk: JWK): Promise<boolean> {
  for (const alg of SIGNING_ALGORITHMS) {
    try {
      const { algorithm } = await createLocalJWKSet({ keys: [jwk] })({ alg });
      const { modulusLength = MIN_RSA_BITS } = algorithm as Partial<webcrypto.RsaKeyAlgorithm>;
      if (modulusLength >= MIN_RSA_BITS) return true;
    } catch {
      // The key is for another purpose or is malformed.
    }
  }
  return false;
}

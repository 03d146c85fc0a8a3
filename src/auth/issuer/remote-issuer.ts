import { KeyObject } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWK,
  type JWTHeaderParameters,
} from 'jose';
import type { TokenFormat } from '../../config/settings-table.js';
import type { IssuerOptions } from '../../config/settings.js';
import type { TimeLimits } from '../../kernel/time-limits.js';
import { discoverKeySetUrl } from './issuer-discovery.js';
import { IssuerFailure } from './issuer-failure.js';
import { requestJson } from './issuer-request.js';
import { TokenIssuer, type SigningAlgorithm } from './token-issuer.js';

/** RFC 7518, section 3.3. jsonwebtoken verifies signatures of shorter keys too. */
const MIN_RSA_BITS = 2048;

/** When the issuer's keys are downloaded, in milliseconds, and the limit of one download. */
export interface KeySetTimes extends Pick<TimeLimits, 'keyDownloadMs'> {
  /** The keys are downloaded again after this time. */
  readonly refreshMs: number;
  /** Minimum pause between downloads for unknown key ids, and after a failed download. */
  readonly coolDownMs: number;
}

/** The pauses between the downloads of a service. */
export const KEY_SET_TIMES = { refreshMs: 600_000, coolDownMs: 1_000 } as const;

/**
 * The configured issuer. Its keys are in jose's remote key set, which downloads them from the
 * configured address or from the address in the issuer's metadata: for the first token, for an
 * unknown key id, and every ten minutes. The last keys serve while the issuer cannot be reached.
 */
export class RemoteIssuer extends TokenIssuer implements OnApplicationShutdown {
  readonly #keySet: ReturnType<typeof createRemoteJWKSet>;
  #refreshing: NodeJS.Timeout | undefined;
  /** Set while the last download has failed; the time is that of `performance.now()`. */
  #failure: { readonly at: number; readonly error: unknown } | undefined;
  /** Undefined while the next download has to look it up, unless the settings contain it. */
  #keySetUrl: string | undefined;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly format: TokenFormat;

  /**
   * @param observe called after each download with its error, or with undefined after a success.
   */
  constructor(
    private readonly options: IssuerOptions,
    private readonly times: KeySetTimes,
    private readonly observe: (failure: unknown) => void,
  ) {
    super();
    this.issuer = options.issuer;
    this.audiences = options.audiences;
    this.format = options;
    this.#keySet = createRemoteJWKSet(new URL(options.jwksUrl ?? options.issuer), {
      timeoutDuration: times.keyDownloadMs,
      cooldownDuration: times.coolDownMs,
      cacheMaxAge: Infinity,
      [customFetch]: (_address, request) => this.#download(request),
    });
  }

  /**
   * Downloads the keys. The service also starts while the issuer is down.
   *
   * @returns the number of keys, or undefined if the download failed.
   */
  reload(): Promise<number | undefined> {
    return this.#keySet.reload().then(
      () => this.#keySet.jwks()?.keys.length,
      () => undefined,
    );
  }

  /** Stops the refresh of the keys. */
  onApplicationShutdown(): void {
    clearInterval(this.#refreshing);
  }

  /**
   * Finds a key, and downloads the key set again if the key id is unknown and the cool-down is
   * over. A download that began before the token was presented does not show that the issuer has no
   * such key, because the key may have been published meanwhile.
   *
   * @returns undefined for a key id that is not in the key set, and for an RSA key that is too
   *   short.
   * @throws when the keys are not available, when several keys have the id, and when an id is
   *   unknown while a download is running.
   */
  override async findKey(kid: string, alg: SigningAlgorithm): Promise<KeyObject | undefined> {
    const { reloading } = this.#keySet;
    try {
      // jsonwebtoken takes a `KeyObject`; jose returns keys of Web Crypto.
      const key = KeyObject.from(await this.#keySet({ kid, alg } satisfies JWTHeaderParameters));
      const { modulusLength = MIN_RSA_BITS } = key.asymmetricKeyDetails ?? {};
      return modulusLength < MIN_RSA_BITS ? undefined : key;
    } catch (error) {
      if (!reloading && error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  /**
   * Downloads the key set for jose. After a failure it rests for the cool-down, so that an issuer
   * that is down does not get a request for every token.
   */
  async #download(request: Parameters<FetchImplementation>[1]): Promise<Response> {
    // The first download starts the timer, because a host application that authenticates assistants
    // by itself needs no keys.
    this.#refreshing ??= setInterval(() => void this.reload(), this.times.refreshMs).unref();
    if (this.#failure && performance.now() - this.#failure.at < this.times.coolDownMs) {
      throw this.#failure.error;
    }
    try {
      const { issuer, jwksUrl } = this.options;
      this.#keySetUrl ??= jwksUrl ?? (await discoverKeySetUrl(issuer, request.signal));
      const keys = keysOf(await requestJson(this.#keySetUrl, request));
      this.#failure = undefined;
      this.observe(undefined);
      return Response.json({ keys });
    } catch (error) {
      this.#failure = { at: performance.now(), error };
      // The keys may have moved: the next download looks their address up again.
      this.#keySetUrl = undefined;
      this.observe(error);
      throw error;
    }
  }
}

/**
 * Returns the keys of a key set, without members that are no keys: jose would reject the whole set.
 *
 * @throws {IssuerFailure} if there is no key. An empty set must not replace the current one, because
 *   every token would be rejected.
 */
function keysOf(keySet: unknown): readonly JWK[] {
  const { keys } = (keySet ?? {}) as { readonly keys?: unknown };
  const found = Array.isArray(keys) ? keys.filter(isKey) : [];
  if (found.length === 0) throw new IssuerFailure('no_key');
  return found;
}

/** Every key names its type (RFC 7517, section 4.1). */
function isKey(member: unknown): member is JWK {
  const { kty } = (member ?? {}) as { readonly kty?: unknown };
  return typeof kty === 'string';
}

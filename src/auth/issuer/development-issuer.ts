import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { RFC_9068 } from '../../config/settings-table.js';
import { TokenIssuer, type SigningAlgorithm } from './token-issuer.js';

const KEY_FILE = 'development-issuer.pem';
const KEY_ID = 'development';
const AUDIENCE = 'urn:deal-sets:api';
const WRITABLE_BY_OTHERS = 0o022;

/** Thrown when the key file cannot be used. The message names the fix. */
export class DevelopmentKeyError extends Error {
  override readonly name = 'DevelopmentKeyError';

  constructor(problem: string, cause?: unknown) {
    super(`${problem}: remove the file, and a new key is created`, { cause });
  }
}

/** The claims of a development token. */
export interface DevelopmentToken {
  readonly buyerId: string;
  readonly clientId: string;
  /** Scopes separated by blanks. */
  readonly scope: string;
  readonly ttlSeconds: number;
}

/**
 * The issuer for local development. It issues tokens without an approval page and signs them with a
 * key from a file, which it creates with access for its owner only. `configuredIssuer` does not use
 * it in production.
 */
export class DevelopmentIssuer extends TokenIssuer {
  readonly issuer = 'urn:deal-sets:development-issuer';
  readonly format = RFC_9068;

  private constructor(
    private readonly privateKey: KeyObject,
    readonly audiences: readonly string[],
  ) {
    super();
  }

  /**
   * Opens the issuer whose key is in a directory, and creates the key file on first use.
   *
   * @param directory default: `.data` in the working directory.
   * @param resources further audiences of its tokens, besides the API.
   * @throws {DevelopmentKeyError} when other users can write to the key file, or it does not
   *   contain a private key.
   */
  static open(directory = '.data', resources: readonly string[] = []): DevelopmentIssuer {
    const file = join(directory, KEY_FILE);
    createKey(directory, file);
    // A user who can replace the key can sign tokens for every buyer. Windows has no such
    // permission bits.
    if (process.platform !== 'win32' && (fs.statSync(file).mode & WRITABLE_BY_OTHERS) !== 0) {
      throw new DevelopmentKeyError(`${file} can be written by other users`);
    }
    try {
      const privateKey = createPrivateKey(fs.readFileSync(file));
      return new DevelopmentIssuer(privateKey, [AUDIENCE, ...resources]);
    } catch (cause) {
      throw new DevelopmentKeyError(`${file} does not contain a private key`, cause);
    }
  }

  /** Returns whether a service has opened the issuer in a directory. Default: as for `open`. */
  static isInUse(directory = '.data'): boolean {
    return fs.existsSync(join(directory, KEY_FILE));
  }

  /** Issues an access token as a production issuer would (RFC 9068). */
  issueToken({ buyerId, clientId, scope, ttlSeconds }: DevelopmentToken): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    return new SignJWT({ client_id: clientId, scope })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: KEY_ID })
      .setIssuer(this.issuer)
      .setAudience(this.audiences.length === 1 ? AUDIENCE : [...this.audiences])
      .setSubject(buyerId)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ttlSeconds)
      .setJti(randomUUID())
      .sign(this.privateKey);
  }

  override findKey(keyId: string, algorithm: SigningAlgorithm): Promise<KeyObject | undefined> {
    const isKnown = keyId === KEY_ID && algorithm === 'ES256';
    return Promise.resolve(isKnown ? createPublicKey(this.privateKey) : undefined);
  }
}

/** Creates the key file, unless it exists. */
function createKey(directory: string, file: string): void {
  if (fs.existsSync(file)) return;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  fs.mkdirSync(directory, { recursive: true });
  try {
    fs.writeFileSync(file, pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another process has created the file in the meantime, and its key is used.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Adapter, AdapterPayload } from 'oidc-provider';

/**
 * The authorization server's data that survives a restart: its key, so that tokens stay valid, and
 * the registered clients.
 */
interface State {
  readonly key: JsonWebKey;
  readonly clients: Record<string, AdapterPayload>;
}

/**
 * Keeps the authorization server's state in a file that only its owner can read. Without a file the
 * state lasts as long as the process.
 */
export class KeptState {
  readonly #state: State;

  constructor(private readonly file?: string) {
    this.#state = this.#read() ?? { key: makeKey(), clients: {} };
    this.#write();
  }

  /** The private key that signs the tokens, as a JWK. */
  get key(): JsonWebKey {
    return this.#state.key;
  }

  /** The key set that verifies the tokens. */
  get publicKeys(): string {
    const { d: _private, ...key } = this.#state.key;
    return JSON.stringify({ keys: [key] });
  }

  /** The registered clients by client id. */
  get clients(): Readonly<Record<string, AdapterPayload>> {
    return this.#state.clients;
  }

  /** Adds or replaces a registered client. */
  keepClient(id: string, payload: AdapterPayload): void {
    this.#state.clients[id] = payload;
    this.#write();
  }

  /** Removes a registered client, if there is one with this id. */
  forgetClient(id: string): void {
    if (this.#state.clients[id] === undefined) return;
    Reflect.deleteProperty(this.#state.clients, id);
    this.#write();
  }

  #read(): State | undefined {
    if (this.file === undefined) return undefined;
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')) as State;
    } catch {
      return undefined;
    }
  }

  #write(): void {
    if (this.file === undefined) return;
    const draft = `${this.file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(this.#state), { mode: 0o600 });
    renameSync(draft, this.file);
  }
}

function makeKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'demo', alg: 'ES256', use: 'sig' };
}

/** The maximum number of records of one kind. The oldest are removed first. */
const MAX_RECORDS = 1_000;

interface Stored {
  readonly payload: AdapterPayload;
  readonly endsAtMs: number;
}

/**
 * Stores the authorization server's records of one kind. They last as long as the process; clients
 * are also saved in the {@link KeptState}.
 */
export class MemoryAdapter implements Adapter {
  readonly #records = new Map<string, Stored>();

  /**
   * @param kept the state that also stores the clients. Pass it only if the records are clients.
   */
  constructor(private readonly kept?: KeptState) {
    for (const [id, payload] of Object.entries(kept?.clients ?? {})) {
      this.#records.set(id, { payload, endsAtMs: Infinity });
    }
  }

  upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<undefined> {
    this.#records.delete(id);
    const endsAtMs = expiresIn ? Date.now() + expiresIn * 1000 : Infinity;
    this.#records.set(id, { payload, endsAtMs });
    this.kept?.keepClient(id, payload);
    const [oldest] = this.#records.keys();
    if (this.#records.size > MAX_RECORDS && oldest !== undefined) void this.destroy(oldest);
    return Promise.resolve(undefined);
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    const stored = this.#records.get(id);
    return Promise.resolve(stored && stored.endsAtMs > Date.now() ? stored.payload : undefined);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    for (const [id, { payload }] of this.#records) if (payload.uid === uid) return this.find(id);
    return undefined;
  }

  /** Only the device flow uses this method, and the device flow is disabled. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async consume(id: string): Promise<undefined> {
    const payload = await this.find(id);
    if (payload) payload['consumed'] = Math.floor(Date.now() / 1000);
    return undefined;
  }

  destroy(id: string): Promise<undefined> {
    this.#records.delete(id);
    this.kept?.forgetClient(id);
    return Promise.resolve(undefined);
  }

  revokeByGrantId(grantId: string): Promise<undefined> {
    for (const [id, { payload }] of this.#records) {
      if (payload.grantId === grantId) this.#records.delete(id);
    }
    return Promise.resolve(undefined);
  }
}

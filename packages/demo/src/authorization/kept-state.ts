import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AdapterPayload } from 'oidc-provider';

/** What the authorization server keeps over a restart: its key, so that tokens stay good, and who registered. */
interface State {
  readonly key: JsonWebKey;
  readonly clients: Record<string, AdapterPayload>;
}

/** The state in a file that only its owner can read; without a file, for the life of the process. */
export class KeptState {
  readonly #state: State;

  constructor(private readonly file?: string) {
    this.#state = this.#read() ?? { key: makeKey(), clients: {} };
    this.#write();
  }

  /** The private key that tokens are signed with, as a JWK. */
  get key(): JsonWebKey {
    return this.#state.key;
  }

  get clients(): Readonly<Record<string, AdapterPayload>> {
    return this.#state.clients;
  }

  keepClient(id: string, payload: AdapterPayload): void {
    this.#state.clients[id] = payload;
    this.#write();
  }

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

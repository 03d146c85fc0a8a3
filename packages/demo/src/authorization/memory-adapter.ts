import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { KeptState } from './kept-state.js';

/** More than a demo needs; the oldest go first. */
const MAX_RECORDS = 1_000;

interface Stored {
  readonly payload: AdapterPayload;
  readonly endsAtMs: number;
}

/** The authorization server's records of one kind, kept as long as the process; its clients also longer. */
export class MemoryAdapter implements Adapter {
  readonly #records = new Map<string, Stored>();

  /** @param kept for the clients. */
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

  /** Only for the flow of devices, which is off. */
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

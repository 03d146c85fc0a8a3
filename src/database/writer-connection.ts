import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';

const RETRY_MS = 1_000;

/**
 * Connects the writers' data source in the background, as often as it takes. Nothing that the service
 * itself answers writes; what a team adds may use the data source once `isInitialized` is true.
 */
@Injectable()
export class WriterConnection {
  readonly #stop = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(private readonly dataSource: DataSource) {}

  open(): void {
    this.#opening ??= this.#connect();
  }

  /** Does not wait for an attempt that is under way; what that still opens is closed when it is done. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    else
      void this.#opening?.then(() =>
        this.dataSource.isInitialized ? this.dataSource.destroy() : undefined,
      );
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.dataSource.initialize();
        return;
      } catch {
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }
}

/** How long a lost replica gets no reads before one read tries it again. */
const QUARANTINE_MS = 2_000;

/**
 * What the pools on one server know of it together: sign-in gives up after a second, so it is first to
 * notice connections that went silent, and spares the reads the same discovery.
 */
export class DatabaseServer {
  #generation = 0;
  #quarantinedUntil = 0;

  constructor(
    /** Address of the writers' login there. */
    readonly url: string,
    readonly isReplica: boolean,
  ) {}

  /** Connections of an earlier generation may be dead, and are not lent any more. */
  get generation(): number {
    return this.#generation;
  }

  /** The server responded. */
  confirm(): void {
    if (this.#quarantinedUntil !== 0) this.#quarantinedUntil = 0;
  }

  /** The server was lost: connections made before now may be dead too. */
  lose(): void {
    this.#generation++;
    this.#quarantinedUntil = performance.now() + QUARANTINE_MS;
  }

  /** False while the server is quarantined after a loss. When the quarantine ends, one caller gets true. */
  get isHealthy(): boolean {
    if (this.#quarantinedUntil === 0) return true;
    const now = performance.now();
    if (now < this.#quarantinedUntil) return false;
    this.#quarantinedUntil = now + QUARANTINE_MS;
    return true;
  }
}

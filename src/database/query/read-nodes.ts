import type { ReadPool } from './read-pool.js';

/** The servers for the reads of one principal type. */
export class ReadNodes {
  #next = 0;

  constructor(
    readonly primary: ReadPool,
    readonly replicas: readonly ReadPool[],
  ) {}

  /**
   * A healthy replica, each in turn; the primary when there is none.
   *
   * @param lost a server not to choose again while there is another.
   */
  pick(lost?: ReadPool): ReadPool {
    const { primary, replicas } = this;
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[this.#next++ % replicas.length];
      if (replica && replica !== lost && replica.server.isHealthy) return replica;
    }
    // With the primary lost as well, any replica is the better bet.
    return (lost === primary && replicas[this.#next++ % replicas.length]) || primary;
  }

  get all(): readonly ReadPool[] {
    return [this.primary, ...this.replicas];
  }
}

/** The seed and the size of a made-up world. */
export interface WorldOptions {
  /** The same seed gives the same world, byte for byte. */
  readonly seed: string;
  readonly buyers: number;
  /** Deal sets of a buyer that have not ended. */
  readonly sets: number;
  /** Dealerships asked in a deal set. */
  readonly rows: number;
  /** Requests of a buyer to a single dealership that have not ended. */
  readonly singles: number;
  /** Ended requests of a buyer, alternately deal sets and requests to a single dealership. */
  readonly ended: number;
}

/** A plausible buyer: 79 price checks, so that 1,266 buyers make 100,000 of them. */
export const WORLD_DEFAULTS: Omit<WorldOptions, 'buyers'> = {
  seed: '1',
  sets: 2,
  rows: 25,
  singles: 3,
  ended: 2,
};

/**
 * The present of a made-up world, in epoch milliseconds. All changes are earlier; sessions and
 * grants are valid beyond it.
 */
export const WORLD_PRESENT_MS = Date.parse('2026-10-13T00:00:00Z');

/** The seed and the size of a made-up world. */
export interface WorldOptions {
  /** The same seed gives the same world, byte for byte. */
  readonly seed: string;
  readonly buyers: number;
  /** The number of active deal sets of each buyer. */
  readonly sets: number;
  /** The number of dealerships that each deal set asks. */
  readonly rows: number;
  /** The number of active requests of each buyer to a single dealership. */
  readonly singles: number;
  /**
   * The number of ended requests of each buyer. They alternate between deal sets and requests to a
   * single dealership.
   */
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
 * The current time of a made-up world, in epoch milliseconds. Every `latestActivityAt` is earlier;
 * sessions and grants remain valid after this time.
 */
export const WORLD_PRESENT_MS = Date.parse('2026-10-13T00:00:00Z');

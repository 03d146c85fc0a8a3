import { explore } from './explore.js';
import type { World } from './worlds.js';

/** Returns the rows of `it.each` for worlds: the names of a world's programs, and the world. */
export const titled = (worlds: readonly World[]): [title: string, world: World][] =>
  worlds.map((world) => [world.map(({ name }) => name).join(' | '), world]);

/**
 * Explores every order of a world's steps, and expects that none of them leads to an error.
 *
 * @returns the number of states that the world has.
 */
export function expectNoErrorIn(world: World): number {
  const { states, ...wrong } = explore(world);
  expect(wrong).toEqual({ skipped: 0, stale: 0, late: 0, stuck: 0 });
  expect(states).toBeGreaterThan(1_000);
  return states;
}

/**
 * A model of the feed and its read model: the steps of writers (change, mark, lock, stamp,
 * recompute, commit, release the locks) and of a reader (probe, page, and both again after a probe
 * that met a writer), explored in every order for three writers, two requests of one buyer and a
 * client of three polls that then goes on until it has everything.
 *
 * Modelled as PostgreSQL does it: row locks and the buyer's advisory lock are held from the step
 * that takes them until after the commit is visible; a READ COMMITTED step sees what is committed
 * when it runs; a REPEATABLE READ transaction sees its snapshot and fails (40001) on a feed row
 * that is newer; ROLLBACK TO SAVEPOINT takes changes, marks, stamps, summaries and row locks back;
 * SET CONSTRAINTS ALL IMMEDIATE runs the deferred step early; history mode recomputes and does not
 * stamp; a deadlock ends one of its writers. Each reading of the clock finds the same millisecond
 * as the one before or the next. `Service-As-Of` is derived by the service's own rule.
 *
 * A summary is modelled as the set of changes that it includes, so a stale row is one that lacks a
 * committed change. Not modelled: what a summary says (the property tests compare that), several
 * buyers, replicas.
 */
import { explore } from './explore.js';
import { FAULTS, WORLDS, type Faults } from './worlds.js';

describe('every order of the steps of three writers and a client', () => {
  it.each(WORLDS.map((world) => [world.map(({ name }) => name).join(' | '), world] as const))(
    'skips no entry, leaves no stale row, and never returns a time after the read: %s',
    (_name, world) => {
      const { states, ...wrong } = explore(world);
      expect(wrong).toEqual({ skipped: 0, stale: 0, late: 0, stuck: 0 });
      expect(states).toBeGreaterThan(1_000);
    },
  );

  it.each(FAULTS)('detects the fault %s by states that are %s', (fault, expected, world) => {
    const faults: Faults = { [fault]: true };
    const found = explore(world, faults, (soFar) => soFar[expected] > 0);
    expect(found[expected]).toBeGreaterThan(0);
  });
});

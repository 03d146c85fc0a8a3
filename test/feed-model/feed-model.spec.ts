/**
 * A model of the feed and its read model. Three writers and one client use two requests of one
 * buyer, and the tests explore every order of their steps:
 *
 * - A writer changes, marks, locks, stamps, recomputes, commits and releases its locks.
 * - The client polls three times, and then until it has everything. A poll probes and reads a page;
 *   it repeats both when the probe met a writer. The service's look for anything new is not a step
 *   of its own: if it finds nothing, it is the reading of an empty page, and if it finds something,
 *   the page is read at any later time, as here.
 *
 * The model follows PostgreSQL:
 *
 * - Row locks and the buyer's advisory lock are held until after the commit is visible.
 * - A READ COMMITTED step sees everything that is committed when it runs.
 * - A REPEATABLE READ transaction sees its snapshot, and fails with 40001 on a newer feed row.
 * - ROLLBACK TO SAVEPOINT undoes changes, marks, stamps and summaries, and releases row locks.
 * - SET CONSTRAINTS ALL IMMEDIATE runs the deferred step early.
 * - A deadlock ends one of its writers.
 * - Two successive readings of the clock return the same millisecond or adjacent ones.
 *
 * `Service-As-Of` comes from the service's own function. A summary is modelled as the set of
 * changes that it includes, so a row is stale when it lacks a committed change. The model leaves
 * out the contents of summaries, which the property tests compare, other buyers, and replicas.
 */
import { expectNoErrorIn, titled } from './every-order.js';
import { explore } from './explore.js';
import { FAULTS, WORLDS, type Faults } from './worlds.js';

describe('every order of the steps of three writers and a client', () => {
  it.each(titled(WORLDS))(
    'skips no entry, leaves no stale row, and never returns a time after the read: %s',
    (_title, world) => {
      expectNoErrorIn(world);
    },
  );

  it.each(FAULTS)('detects the fault %s by states that are %s', (fault, expected, world) => {
    const faults: Faults = { [fault]: true };
    const found = explore(world, faults, (soFar) => soFar[expected] > 0);
    expect(found[expected]).toBeGreaterThan(0);
  });
});

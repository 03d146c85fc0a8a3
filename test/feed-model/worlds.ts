/** A transaction: its isolation level, and its actions before the commit. */
export interface Program {
  readonly name: string;
  readonly isRepeatableRead?: boolean;
  /**
   * `A` and `B` each change one of the two requests. `constraints` is SET CONSTRAINTS ALL
   * IMMEDIATE, which runs the deferred step at once.
   */
  readonly actions: readonly ('A' | 'B' | 'savepoint' | 'rollbackTo' | 'constraints')[];
}

/** The transactions of the three writers, in any order. */
export type World = readonly [Program, Program, Program];

const a: Program = { name: 'A', actions: ['A'] };
const ab: Program = { name: 'A, B', actions: ['A', 'B'] };
const ba: Program = { name: 'B, A', actions: ['B', 'A'] };
const savepoint: Program = {
  name: 'A; B rolled back',
  actions: ['A', 'savepoint', 'B', 'rollbackTo'],
};
const [repeatableA, repeatableB, repeatableAb] = ([['A'], ['B'], ['A', 'B']] as const).map(
  (actions): Program => ({
    name: `${actions.join(', ')} at REPEATABLE READ`,
    isRepeatableRead: true,
    actions,
  }),
) as [Program, Program, Program];
const constraints: Program = {
  name: 'A; SET CONSTRAINTS ALL IMMEDIATE rolled back; B',
  actions: ['A', 'savepoint', 'constraints', 'rollbackTo', 'B'],
};
const PROGRAMS = [a, ab, ba, savepoint, repeatableA, repeatableB, repeatableAb, constraints];

/**
 * A selection that takes seconds to explore: changes in opposite orders, both isolation levels and
 * savepoints. The soak test explores `ALL_WORLDS`.
 */
export const WORLDS: readonly World[] = [
  [a, a, a],
  [a, ab, ba],
  [ab, ba, savepoint],
  [a, a, repeatableA],
  [a, repeatableB, ab],
  [ab, repeatableAb, a],
  [savepoint, savepoint, repeatableA],
  [constraints, ab, a],
];

/** Every combination of three programs. */
export const ALL_WORLDS: readonly World[] = PROGRAMS.flatMap((first, i) =>
  PROGRAMS.slice(i).flatMap((second, j) =>
    PROGRAMS.slice(i + j).map((third): World => [first, second, third]),
  ),
);

/**
 * Possible faults of an implementation, each with the error that the exploration must find and a
 * world in which it finds that soon. Each fault is one variant of the steps.
 */
export const FAULTS = [
  // The writer computes the summary before it locks the feed row, and keeps it.
  ['recomputesBeforeTheRowLock', 'stale', [a, a, a]],
  // A change of the second request marks nothing.
  ['hasNoTrigger', 'stale', [ab, ab, ba]],
  ['marksWithoutLocking', 'stale', [repeatableA, a, a]],
  // A flag outside the transaction records that a request was recomputed.
  ['remembersBeyondARollback', 'stale', [ba, constraints, constraints]],
  ['takesNoLock', 'skipped', [a, a, a]],
  ['stampsBeforeTheLock', 'skipped', [a, a, a]],
  ['releasesBeforeTheCommit', 'skipped', [a, a, a]],
  ['stampsTheStart', 'skipped', [a, a, a]],
  ['doesNotAwaitItsMillisecond', 'skipped', [a, repeatableB, ab]],
  ['readsThePageBeforeTheProbe', 'skipped', [a, a, a]],
  ['keepsTheFirstPage', 'skipped', [a, a, a]],
  ['sendsTheEdgeAsItIs', 'late', [a, ab, ba]],
  ['cutsTies', 'skipped', [ab, savepoint, a]],
  ['keepsNoMargin', 'skipped', [a, a, a]],
] as const satisfies readonly (readonly [string, 'skipped' | 'stale' | 'late', World])[];

export type Faults = { readonly [fault in (typeof FAULTS)[number][0]]?: boolean };

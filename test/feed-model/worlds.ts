/** A transaction in short: its isolation level, its mode, and what it does before it commits. */
export interface Program {
  readonly name: string;
  readonly isRepeatableRead?: boolean;
  /** History mode: recomputes, does not stamp. */
  readonly isHistory?: boolean;
  /** `constraints`: SET CONSTRAINTS ALL IMMEDIATE, which runs the deferred step at once. */
  readonly actions: readonly ('A' | 'B' | 'savepoint' | 'rollbackTo' | 'constraints')[];
}

/** Three writers: the order in which they are named does not matter. */
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
const history: Program = { name: 'A in history mode', isHistory: true, actions: ['A'] };
const constraints: Program = {
  name: 'A; SET CONSTRAINTS ALL IMMEDIATE rolled back; B',
  actions: ['A', 'savepoint', 'constraints', 'rollbackTo', 'B'],
};
const PROGRAMS = [
  ...[a, ab, ba, savepoint, repeatableA, repeatableB, repeatableAb, history, constraints],
];

/**
 * A choice that is explored in seconds: programs that meet in opposite orders, both isolation
 * levels, history mode, savepoints. The soak explores every choice.
 */
export const WORLDS: readonly World[] = [
  [a, a, a],
  [a, ab, ba],
  [ab, ba, savepoint],
  [a, a, repeatableA],
  [a, repeatableB, ab],
  [ab, repeatableAb, history],
  [a, history, repeatableA],
  [history, history, ba],
  [savepoint, savepoint, repeatableA],
  [constraints, ab, history],
];

/** Every choice of three programs. */
export const ALL_WORLDS: readonly World[] = PROGRAMS.flatMap((first, i) =>
  PROGRAMS.slice(i).flatMap((second, j) =>
    PROGRAMS.slice(i + j).map((third): World => [first, second, third]),
  ),
);

/**
 * What can be built wrong: each is one variant of the step tables. What the exploration must find
 * of it, and a world in which it is found soon.
 */
export const FAULTS = [
  // The summary is read before the feed row is locked, and kept.
  ['recomputesBeforeTheRowLock', 'stale', [a, a, a]],
  // Changes of the second request mark nothing.
  ['hasNoTrigger', 'stale', [ab, ab, ba]],
  ['marksWithoutLocking', 'stale', [repeatableA, history, history]],
  // In history mode the mark locks the row and writes nothing.
  ['historyOnlyLocks', 'stale', [a, ab, history]],
  // That a request was recomputed is remembered outside the transaction.
  ['remembersBeyondARollback', 'stale', [ba, constraints, constraints]],
  ['takesNoLock', 'skipped', [a, a, a]],
  ['stampsBeforeTheLock', 'skipped', [a, a, a]],
  ['releasesBeforeTheCommit', 'skipped', [a, a, a]],
  ['stampsTheStart', 'skipped', [a, history, history]],
  ['doesNotAwaitItsMillisecond', 'skipped', [a, repeatableB, ab]],
  ['readsThePageBeforeTheProbe', 'skipped', [a, a, a]],
  ['keepsTheFirstPage', 'skipped', [a, a, a]],
  ['sendsTheEdgeAsItIs', 'late', [a, ab, ba]],
  ['cutsTies', 'skipped', [ab, savepoint, history]],
  ['keepsNoMargin', 'skipped', [a, a, a]],
] as const satisfies readonly (readonly [string, 'skipped' | 'stale' | 'late', World])[];

export type Faults = { readonly [fault in (typeof FAULTS)[number][0]]?: boolean };

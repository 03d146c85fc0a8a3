import type { Program } from './writers.js';

/** The transactions that writers of the model run. */
export const PROGRAMS = {
  a: { name: 'A', actions: ['A'] },
  ab: { name: 'A, B', actions: ['A', 'B'] },
  ba: { name: 'B, A', actions: ['B', 'A'] },
  savepoint: { name: 'A; B rolled back', actions: ['A', 'savepoint', 'B', 'rollbackTo'] },
  repeatableA: { name: 'A at REPEATABLE READ', isRepeatableRead: true, actions: ['A'] },
  repeatableB: { name: 'B at REPEATABLE READ', isRepeatableRead: true, actions: ['B'] },
  repeatableAb: { name: 'A, B at REPEATABLE READ', isRepeatableRead: true, actions: ['A', 'B'] },
  history: { name: 'A in history mode', isHistory: true, actions: ['A'] },
  constraints: {
    name: 'A; SET CONSTRAINTS ALL IMMEDIATE rolled back; B',
    actions: ['A', 'savepoint', 'constraints', 'rollbackTo', 'B'],
  },
} as const satisfies Record<string, Program>;

const { a, ab, ba, savepoint, repeatableA, repeatableB, repeatableAb, history, constraints } =
  PROGRAMS;

/**
 * Three writers each, a choice that is explored in seconds: programs that meet in opposite orders, both isolation
 * levels, history mode, savepoints. The soak explores every choice.
 */
export const WORLDS: readonly (readonly [Program, Program, Program])[] = [
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

/** Every choice of three programs, the order of which does not matter. */
export function allWorlds(): (readonly [Program, Program, Program])[] {
  const programs: readonly Program[] = Object.values(PROGRAMS);
  return programs.flatMap((first, i) =>
    programs
      .slice(i)
      .flatMap((second, j) =>
        programs.slice(i + j).map((third) => [first, second, third] as const),
      ),
  );
}

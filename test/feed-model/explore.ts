import { receivesEveryEntry, nextReaderStates } from './reader.js';
import { DATA, initialState, IS_LATE, keyOf, REQUESTS, SUMMARY, type State } from './state.js';
import type { Faults, World } from './worlds.js';
import { isLocal, isRunning, nextWriterStates, stepOf, stepsOf, type Writer } from './writers.js';

/** The number of states that the exploration of one world visited, and of the errors among them. */
export interface Exploration {
  readonly states: number;
  /** Final states from which a client that continues to poll never receives some entry. */
  readonly skipped: number;
  /** States in which the read model differs from the committed data. */
  readonly stale: number;
  /** States in which a `Service-As-Of` was after the read although `since` was before it. */
  readonly late: number;
  /** States in which no step is possible although some writer is not finished. */
  readonly stuck: number;
}

/**
 * Visits every state that three writers and a reader can reach, in every order of their steps. A
 * step that affects only its own writer is taken at once, because every other order leads to the
 * same states.
 *
 * @param programs the transactions of the three writers.
 * @param faults the faults to build into the model. Default: none.
 * @param isEnough ends the exploration early when it returns true. Default: never.
 */
export function explore(
  programs: World,
  faults: Faults = {},
  isEnough: (found: Exploration) => boolean = () => false,
): Exploration {
  const writers = programs.map((program, number): Writer => ({
    number,
    program,
    steps: stepsOf(program, faults),
  }));
  const start = initialState();
  const seen = new Set([keyOf(start)]);
  const open: State[] = [start];
  const found = { states: 0, skipped: 0, stale: 0, late: 0, stuck: 0 };
  for (let state = open.pop(); state; state = open.pop()) {
    found.states += 1;
    if (isStale(state)) found.stale += 1;
    if (state[IS_LATE] === 1) found.late += 1;
    const reached = successors(state, writers, faults);
    if (reached.length === 0) {
      if (writers.some((writer) => isRunning(state, writer))) found.stuck += 1;
      else if (!receivesEveryEntry(state, faults)) found.skipped += 1;
    }
    if (isEnough(found)) break;
    for (const successor of reached) {
      const key = keyOf(successor);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(successor);
    }
  }
  return found;
}

function successors(state: State, writers: readonly Writer[], faults: Faults): State[] {
  for (const writer of writers) {
    if (isRunning(state, writer) && isLocal(writer, stepOf(state, writer), faults)) {
      return nextWriterStates(state, writers, writer, faults);
    }
  }
  return [
    ...writers.flatMap((writer) => nextWriterStates(state, writers, writer, faults)),
    ...nextReaderStates(state, faults),
  ];
}

function isStale(state: State): boolean {
  for (let request = 0; request < REQUESTS; request += 1) {
    if (state[SUMMARY + request] !== state[DATA + request]) return true;
  }
  return false;
}

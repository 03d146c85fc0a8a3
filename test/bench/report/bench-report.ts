import type { Figure } from '../measure/figures.js';
import type { Sample } from '../measure/rounds.js';
import type { Aim } from './aims.js';

/** Everything a run found; what is written as JSON. */
export interface BenchReport {
  readonly at: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  /** Price checks in the world, as asked for. */
  readonly world: number;
  readonly rounds: number;
  readonly answersCompared: number;
  readonly figures: readonly Figure[];
  readonly aims: readonly Aim[];
  readonly doubts: readonly string[];
  readonly samples: readonly Sample[];
}

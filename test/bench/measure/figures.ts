import type { ScenarioName } from '../load/scenarios.js';
import type { ServerName } from '../servers/server-process.js';
import type { Sample } from './rounds.js';

/** What is measured of a server's turn. */
const MEASURES = ['perSecond', 'p50', 'p99', 'serverCpuUs', 'databaseCpuUs', 'residentMb'] as const;
export type Measure = (typeof MEASURES)[number];

/** A scenario on a server: medians over all rounds. */
export interface Figure extends Readonly<Record<Measure, number>> {
  readonly scenario: ScenarioName;
  readonly server: ServerName;
  readonly rounds: number;
  /** Of requests per second: largest less smallest, as a part of the median. */
  readonly spread: number;
}

export function figures(samples: readonly Sample[]): Figure[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = `${sample.scenario}|${sample.server}`;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups.values()].map((group) => {
    const { scenario, server } = group[0]!;
    const medians = Object.fromEntries(
      MEASURES.map((measure) => [measure, median(group.map((sample) => sample[measure]))]),
    ) as Record<Measure, number>;
    const rates = group.map(({ perSecond }) => perSecond);
    const spread = (Math.max(...rates) - Math.min(...rates)) / medians.perSecond;
    return { scenario, server, rounds: group.length, spread, ...medians };
  });
}

/** One side of a comparison. */
export type Side = readonly [ServerName, ScenarioName];

export interface Ratio {
  readonly value: number;
  /** Lowest and highest of the rounds. */
  readonly low: number;
  readonly high: number;
}

/** The median of the rounds' own ratios, because two turns of one round met the same machine; NaN without rounds. */
export function ratio(
  samples: readonly Sample[],
  measure: Measure,
  above: Side,
  below: Side,
): Ratio {
  const byRound = ([server, scenario]: Side): Map<number, number> =>
    new Map(
      samples
        .filter((sample) => sample.scenario === scenario && sample.server === server)
        .map((sample) => [sample.round, sample[measure]]),
    );
  const divisors = byRound(below);
  const ratios = [...byRound(above)].flatMap(([round, value]) => {
    const divisor = divisors.get(round);
    return divisor === undefined ? [] : [value / divisor];
  });
  return { value: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
}

/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? NaN) + upper) / 2;
}

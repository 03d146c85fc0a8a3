import type { ScenarioName } from '../load/scenarios.js';
import type { ServerName } from '../servers/server-process.js';
import type { Sample } from './rounds.js';
import { median, spread } from './statistics.js';

/** A scenario on a server, over all rounds: medians. */
export interface Figure {
  readonly scenario: ScenarioName;
  readonly server: ServerName;
  readonly rounds: number;
  readonly perSecond: number;
  /** Of requests per second, over the rounds, as a part of the median. */
  readonly spread: number;
  readonly p50: number;
  readonly p99: number;
  readonly serverCpuUs: number;
  readonly databaseCpuUs: number;
  readonly residentMb: number;
}

export function figures(samples: readonly Sample[]): Figure[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = `${sample.scenario}|${sample.server}`;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups.values()].map((group) => {
    const of = (key: NumericKey): number => median(group.map((sample) => sample[key]));
    const { scenario, server } = group[0]!;
    return {
      scenario,
      server,
      rounds: group.length,
      perSecond: of('perSecond'),
      spread: spread(group.map(({ perSecond }) => perSecond)),
      p50: of('p50'),
      p99: of('p99'),
      serverCpuUs: of('serverCpuUs'),
      databaseCpuUs: of('databaseCpuUs'),
      residentMb: of('residentMb'),
    };
  });
}

type NumericKey = 'perSecond' | 'p50' | 'p99' | 'serverCpuUs' | 'databaseCpuUs' | 'residentMb';

/** One side of a comparison. */
export interface Side {
  readonly scenario: ScenarioName;
  readonly server: ServerName;
}

/** The median of the rounds' own ratios: two turns of one round met the same machine. */
export function ratio(
  samples: readonly Sample[],
  key: NumericKey,
  above: Side,
  below: Side,
): Ratio {
  const pick = ({ scenario, server }: Side): Map<number, number> =>
    new Map(
      samples
        .filter((sample) => sample.scenario === scenario && sample.server === server)
        .map((sample) => [sample.round, sample[key]]),
    );
  const divisors = pick(below);
  const ratios = [...pick(above)].flatMap(([round, value]) => {
    const divisor = divisors.get(round);
    return divisor === undefined ? [] : [value / divisor];
  });
  return {
    value: median(ratios),
    low: ratios.length === 0 ? NaN : Math.min(...ratios),
    high: ratios.length === 0 ? NaN : Math.max(...ratios),
  };
}

export interface Ratio {
  readonly value: number;
  /** Lowest and highest of the rounds. */
  readonly low: number;
  readonly high: number;
}

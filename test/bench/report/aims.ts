import { figures, ratio, type Ratio, type Side } from '../measure/figures.js';
import type { Sample } from '../measure/rounds.js';
import { median } from '../measure/statistics.js';
import type { ScenarioName } from '../load/scenarios.js';

/** A figure that the service is held to. */
export interface Aim {
  readonly figure: string;
  readonly value: number;
  /** Lowest and highest of the rounds, where it is a ratio of rounds. */
  readonly low?: number;
  readonly high?: number;
  readonly unit: '×' | 'MB' | 's';
  /** What it must reach, and what we would like. */
  readonly least: number;
  readonly aim: number;
  readonly isMet: boolean;
}

/** What is measured once, outside the rounds. */
export interface OneOffs {
  readonly firstAnswerSeconds: readonly number[];
  readonly limiterGrowthMb: number;
}

const service = (scenario: ScenarioName): Side => ({ scenario, server: 'service' });
const b = (scenario: ScenarioName): Side => ({ scenario, server: 'B' });
const r = (scenario: ScenarioName): Side => ({ scenario, server: 'R' });
const d = (scenario: ScenarioName): Side => ({ scenario, server: 'D' });

export function aims(
  samples: readonly Sample[],
  { firstAnswerSeconds, limiterGrowthMb }: OneOffs,
): Aim[] {
  const over = (
    above: Side,
    below: Side,
    key: 'perSecond' | 'p99' | 'databaseCpuUs' = 'perSecond',
  ): Ratio => ratio(samples, key, above, below);
  const history = 'list, 1,000 ended';
  return [
    atLeast('one deal set, × B', over(service('one'), b('one')), 0.95, 1.05),
    atLeast('list, × B', over(service('list'), b('list')), 1.8, 2),
    atLeast('since-list, × B', over(service('since'), b('since')), 1.4, 1.6),
    atLeast('list, × R (B on the read model)', over(service('list'), r('list')), 0.95, 1),
    atMost(
      'database time of the list with sets of 200 rows, × of 25',
      over(service('list, sets of 200'), service('list, sets of 25'), 'databaseCpuUs'),
      1.3,
      1.1,
    ),
    atLeast('since-list, × plain list', over(service('since'), service('list')), 0.67, 0.9),
    atLeast('one deal set, × D', over(service('one'), d('one')), 5, 6),
    atLeast('list, × D', over(service('list'), d('list')), 10, 12),
    atMost('p99 of one deal set, × B', over(service('one'), b('one'), 'p99'), 1.2, 1),
    atMost('p99 of the list, × B', over(service('list'), b('list'), 'p99'), 1.2, 1),
    atMost(
      'time of the list with 1,000 ended requests, × with none',
      over(service('list, no history'), service(history)),
      1.1,
      1,
    ),
    once('start to first answer', 's', median(firstAnswerSeconds), 1.5, 0.8),
    once('memory of 200,000 principals in the rate limit', 'MB', limiterGrowthMb, 60, 40),
  ].filter(({ value }) => !Number.isNaN(value));
}

function atLeast(figure: string, { value, low, high }: Ratio, least: number, aim: number): Aim {
  return { figure, value, low, high, unit: '×', least, aim, isMet: value >= least };
}

function atMost(figure: string, { value, low, high }: Ratio, most: number, aim: number): Aim {
  return { figure, value, low, high, unit: '×', least: most, aim, isMet: value <= most };
}

function once(figure: string, unit: 's' | 'MB', value: number, most: number, aim: number): Aim {
  return { figure, value, unit, least: most, aim, isMet: value <= most };
}

/** Of the time of one deal set and of the list, over that on the small world. */
export const MOST_GROWTH = 1.1;

/** Rounds that differ by more than this say more about the machine than about the service. */
const BELIEVABLE_SPREAD = 0.2;
/** Of all cores, before anything was started. */
const BELIEVABLE_BUSYNESS = 0.1;

/** Scenarios whose rounds differ too much to be believed, one sentence for each. */
export function doubts(samples: readonly Sample[], busyBefore: number): string[] {
  const lines = figures(samples)
    .filter(
      ({ spread, rounds, server }) => rounds > 1 && server !== 'D' && spread > BELIEVABLE_SPREAD,
    )
    .map(
      ({ scenario, server, spread }) =>
        `"${scenario}" on ${server}: rounds differ by ${Math.round(spread * 100)}% of the median`,
    );
  if (busyBefore > BELIEVABLE_BUSYNESS)
    lines.unshift(
      `something else ran: the machine was ${Math.round(busyBefore * 100)}% busy before`,
    );
  return lines;
}

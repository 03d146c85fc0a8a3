import { figures, ratio, type Figure, type Measure, type Ratio } from './measure/figures.js';
import type { Sample } from './measure/rounds.js';
import type { ScenarioName } from './load/scenarios.js';
import type { ServerName } from './servers/server-process.js';

/** A figure with a limit. */
export interface Aim extends Partial<Ratio> {
  readonly figure: string;
  readonly value: number;
  readonly unit: '×' | 's';
  readonly needed: string;
  readonly isMet: boolean;
}

/** Of ratios of a run without both sides, none. */
export function aims(samples: readonly Sample[]): Aim[] {
  const over = (
    scenario: ScenarioName,
    server: ServerName,
    below = scenario,
    measure: Measure = 'perSecond',
  ): Ratio => ratio(samples, measure, ['service', scenario], [server, below]);
  const large = over('list, sets of 200', 'service', 'list, sets of 25', 'databaseCpuUs');
  const history = over('list, no history', 'service', 'list, 1,000 ended');
  return [
    atLeast('one deal set, × B', over('one', 'B'), 0.95),
    atLeast('list, × B', over('list', 'B'), 1.8),
    atLeast('since-list, × B', over('since', 'B'), 1.4),
    atLeast('since-list, × plain list', over('since', 'service', 'list'), 0.67),
    atLeast('one deal set, × D', over('one', 'D'), 5),
    atLeast('list, × D', over('list', 'D'), 10),
    atMost('p99 of one deal set, × B', over('one', 'B', 'one', 'p99'), 1.2),
    atMost('p99 of the list, × B', over('list', 'B', 'list', 'p99'), 1.2),
    atMost('database time of the list with sets of 200 rows, × of 25', large, 1.3),
    atMost('time of the list with 1,000 ended requests, × with none', history, 1.1),
  ].filter(({ value }) => !Number.isNaN(value));
}

function atLeast(figure: string, found: Ratio, least: number): Aim {
  const isMet = found.value >= least;
  return { figure, ...found, unit: '×', needed: `≥ ${least}`, isMet };
}

export function atMost(
  figure: string,
  found: Pick<Aim, 'value' | 'low' | 'high'>,
  most: number,
  unit: Aim['unit'] = '×',
): Aim {
  return { figure, ...found, unit, needed: `≤ ${most}`, isMet: found.value <= most };
}

/** Rounds that differ by more than this say more about the machine than about the service. */
const BELIEVABLE_SPREAD = 0.2;
/** Of all cores, before anything was started. */
const BELIEVABLE_BUSYNESS = 0.1;

/** Why the figures may not be believed, one sentence for each reason. */
export function doubts(samples: readonly Sample[], busyBefore: number): string[] {
  const lines = figures(samples)
    .filter(({ spread, rounds }) => rounds > 1 && spread > BELIEVABLE_SPREAD)
    .map(
      ({ scenario, server, spread }) =>
        `"${scenario}" on ${server}: rounds differ by ${Math.round(spread * 100)}% of the median`,
    );
  const busy = `something else ran: the machine was ${Math.round(busyBefore * 100)}% busy before`;
  return busyBefore > BELIEVABLE_BUSYNESS ? [busy, ...lines] : lines;
}

export function doubtsText(lines: readonly string[]): string {
  if (lines.length === 0) return 'The rounds agree.\n';
  return `Too noisy to believe:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return `${rows.map((row) => row.map(padded).join('  ')).join('\n')}\n`;
}

/** Processor time of a request, server and database together: what a busy machine disturbs least. */
function costOf({ serverCpuUs, databaseCpuUs }: Figure): number {
  return serverCpuUs + databaseCpuUs;
}

const HEAD = 'scenario|server|req/s|× B|by CPU|spread|p50 ms|p99 ms|CPU µs|DB µs|RSS MB'.split('|');

export function figuresTable(all: readonly Figure[]): string {
  const rows = all.map((figure) => {
    const b = all.find(({ scenario, server }) => scenario === figure.scenario && server === 'B');
    return [
      figure.scenario,
      figure.server,
      figure.perSecond.toFixed(0),
      b ? (figure.perSecond / b.perSecond).toFixed(2) : '',
      b ? (costOf(b) / costOf(figure)).toFixed(2) : '',
      `±${((figure.spread * 100) / 2).toFixed(0)}%`,
      figure.p50.toFixed(1),
      figure.p99.toFixed(1),
      figure.serverCpuUs.toFixed(0),
      figure.databaseCpuUs.toFixed(0),
      figure.residentMb.toFixed(0),
    ];
  });
  return table([HEAD, ...rows]);
}

export function aimsTable(all: readonly Aim[]): string {
  const rows = all.map(({ figure, value, low, high, unit, needed, isMet }) => [
    figure,
    `${value.toFixed(2)} ${unit}`,
    low === undefined || high === undefined ? '' : `${low.toFixed(2)}–${high.toFixed(2)}`,
    needed,
    isMet ? 'met' : 'NOT MET',
  ]);
  return table([['figure', 'value', 'rounds', 'needed', ''], ...rows]);
}

/** This checkout's service ÷ the other's: more requests and less processor time are better. */
export function versionsTable(samples: readonly Sample[]): string {
  const scenarios = [...new Set(samples.map(({ scenario }) => scenario))];
  const rows = scenarios.map((scenario) => {
    const cells = (['perSecond', 'serverCpuUs'] as const).flatMap((measure) => {
      const found = ratio(samples, measure, ['service', scenario], ['before', scenario]);
      return [found.value.toFixed(3), `${found.low.toFixed(2)}–${found.high.toFixed(2)}`];
    });
    return [scenario, ...cells];
  });
  return table([['new ÷ old', 'requests', 'rounds', 'server CPU', 'rounds'], ...rows]);
}

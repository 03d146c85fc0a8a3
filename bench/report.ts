import type { ScenarioName } from './scenarios.js';

/** What is measured of a server's turn. */
const MEASURES = ['perSecond', 'p50', 'p99', 'serverCpuUs', 'databaseCpuUs', 'residentMb'] as const;
export type Measure = (typeof MEASURES)[number];

/** One server's turn with one scenario in one round: milliseconds, and microseconds of processor time a request. */
export interface Sample extends Readonly<Record<Measure, number>> {
  readonly round: number;
  readonly scenario: ScenarioName;
  readonly server: string;
}

/** A scenario on a server: medians over all rounds. */
export interface Figure extends Readonly<Record<Measure, number>> {
  readonly scenario: string;
  readonly server: string;
  readonly rounds: number;
  /** Of requests per second: largest less smallest, as a part of the median. */
  readonly spread: number;
  /** Requests as a multiple of B's: the median of the rounds' own ratios, because two turns of one round met the same machine. */
  readonly timesB: number;
  /** The same by processor time of server and database, which a busy machine disturbs least. */
  readonly timesBByCpu: number;
}

const cost = (sample: Sample): number => sample.serverCpuUs + sample.databaseCpuUs;

export function figures(samples: readonly Sample[]): Figure[] {
  const firsts = samples.filter(({ round }) => round === 0);
  return firsts.map(({ scenario, server }) => {
    const group = samples.filter((one) => one.scenario === scenario && one.server === server);
    const medians = Object.fromEntries(
      MEASURES.map((measure) => [measure, median(group.map((sample) => sample[measure]))]),
    ) as Record<Measure, number>;
    const rates = group.map(({ perSecond }) => perSecond);
    const spread = (Math.max(...rates) - Math.min(...rates)) / medians.perSecond;
    const overB = (ratio: (sample: Sample, b: Sample) => number): number =>
      median(
        group.flatMap((sample) =>
          samples
            .filter((b) => b.server === 'B' && b.scenario === scenario && b.round === sample.round)
            .map((b) => ratio(sample, b)),
        ),
      );
    return {
      scenario,
      server,
      rounds: group.length,
      spread,
      ...medians,
      timesB: overB((sample, b) => sample.perSecond / b.perSecond),
      timesBByCpu: overB((sample, b) => cost(b) / cost(sample)),
    };
  });
}

/** The middle value; NaN of none. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? NaN) + upper) / 2;
}

/** Rounds that differ by more than this say more about the machine than about the service. */
const BELIEVABLE_SPREAD = 0.2;

/** Why the figures may not be believed, one sentence for each reason. */
export function doubts(all: readonly Figure[]): string[] {
  const lines = all
    .filter(({ spread, rounds }) => rounds > 1 && spread > BELIEVABLE_SPREAD)
    .map(
      ({ scenario, server, spread }) =>
        `"${scenario}" on ${server}: rounds differ by ${Math.round(spread * 100)}% of the median`,
    );
  if (all.some(({ rounds }) => rounds === 1)) lines.unshift('one round says nothing of the spread');
  return lines;
}

const HEAD = 'scenario|server|req/s|× B|by CPU|spread|p50 ms|p99 ms|CPU µs|DB µs|RSS MB'.split('|');

export function figuresTable(all: readonly Figure[]): string {
  const rows = all.map((figure) => [
    figure.scenario,
    figure.server,
    figure.perSecond.toFixed(0),
    Number.isNaN(figure.timesB) ? '' : figure.timesB.toFixed(2),
    Number.isNaN(figure.timesB) ? '' : figure.timesBByCpu.toFixed(2),
    `±${((figure.spread * 100) / 2).toFixed(0)}%`,
    figure.p50.toFixed(1),
    figure.p99.toFixed(1),
    figure.serverCpuUs.toFixed(0),
    figure.databaseCpuUs.toFixed(0),
    figure.residentMb.toFixed(0),
  ]);
  const table = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!);
  return `${table.map((row) => row.map(padded).join('  ')).join('\n')}\n`;
}

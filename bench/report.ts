import type { ScenarioName } from './scenarios.js';

/** The measurements of a server under load. */
const MEASURES = ['perSecond', 'p99', 'serverCpuUs', 'databaseCpuUs'] as const;
type Measure = (typeof MEASURES)[number];

/**
 * The measurements of one server in one scenario and one round: latencies in milliseconds,
 * processor time in microseconds per request.
 */
export interface Sample extends Readonly<Record<Measure, number>> {
  readonly round: number;
  readonly scenario: ScenarioName;
  readonly server: string;
}

/** The measurements of a server in a scenario: medians over all rounds. */
export interface Figure extends Readonly<Record<Measure, number>> {
  readonly scenario: ScenarioName;
  readonly server: string;
  readonly rounds: number;
  /** The spread of requests per second: largest minus smallest, as a fraction of the median. */
  readonly spread: number;
  /**
   * Requests per second as a multiple of server B's: the median of the ratios within each round,
   * because the servers of a round ran under the same conditions.
   */
  readonly timesB: number;
  /**
   * Server B's processor time per response, including the database's, as a multiple of this
   * server's: the median of the ratios within each round. Of all figures, this one is affected
   * least by other programs on the machine.
   */
  readonly timesBByCpu: number;
}

const cost = (sample: Sample): number => sample.serverCpuUs + sample.databaseCpuUs;

/** Summarizes the samples of all rounds, one figure for each scenario and server. */
export function figures(samples: readonly Sample[]): Figure[] {
  const firsts = samples.filter(({ round }) => round === 0);
  return firsts.map(({ scenario, server }) => {
    const group = samples.filter(
      (sample) => sample.scenario === scenario && sample.server === server,
    );
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

/** Returns the median; NaN for an empty list. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? NaN) + upper) / 2;
}

/**
 * The largest believable spread. Beyond it, the figures describe the machine more than the service.
 */
const BELIEVABLE_SPREAD = 0.2;

/** Returns the reasons to distrust the figures, one line each. */
export function doubts(all: readonly Figure[]): string[] {
  const lines = all
    .filter(({ spread, rounds }) => rounds > 1 && spread > BELIEVABLE_SPREAD)
    .map(
      ({ scenario, server, spread }) =>
        `"${scenario}" on ${server}: rounds differ by ${Math.round(spread * 100)}% of the median`,
    );
  if (all.some(({ rounds }) => rounds === 1)) lines.unshift('one round does not show the spread');
  return lines;
}

const ratio = (times: number): string => (Number.isNaN(times) ? '' : times.toFixed(2));

const COLUMNS: Readonly<Record<string, (figure: Figure) => string>> = {
  scenario: ({ scenario }) => scenario,
  server: ({ server }) => server,
  'req/s': ({ perSecond }) => perSecond.toFixed(0),
  '× B': ({ timesB }) => ratio(timesB),
  'by CPU': ({ timesBByCpu }) => ratio(timesBByCpu),
  spread: ({ spread }) => `±${((spread * 100) / 2).toFixed(0)}%`,
  'p99 ms': ({ p99 }) => p99.toFixed(1),
  'CPU µs': ({ serverCpuUs }) => serverCpuUs.toFixed(0),
  'DB µs': ({ databaseCpuUs }) => databaseCpuUs.toFixed(0),
};

/** Formats the figures as a table for a terminal. */
export function figuresTable(all: readonly Figure[]): string {
  const columns = Object.entries(COLUMNS).map(([head, text], place) => {
    const cells = [head, ...all.map(text)];
    const width = Math.max(...cells.map((cell) => cell.length));
    return cells.map((cell) => (place === 0 ? cell.padEnd(width) : cell.padStart(width)));
  });
  const lines = ['', ...all].map((_, at) => columns.map((cells) => cells[at]).join('  '));
  return `${lines.join('\n')}\n`;
}

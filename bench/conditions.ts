import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './report.js';
import type { ScenarioName } from './scenarios.js';

/** How busy the machine was while the bench did nothing. */
export interface Load {
  /** The share of all processors that was in use, from 0 to 1. */
  readonly busyShare: number;
  /** The load average of the minute before. */
  readonly average: number;
}

/**
 * The largest share of the processors that other programs may use. The service runs several times
 * as much JavaScript per request as server B, so on a busy machine, where caches are cold, its
 * ratios to B are lower for the same code.
 */
const MOST_BUSY = 0.1;
const WATCHED_MS = 2_000;

/**
 * The least requests per second of server B in a scenario, which are two fifths of those on two quiet
 * cores of the faster machine on which the floors were measured. Below them something else limited
 * the servers.
 */
const LEAST_OF_B: Readonly<Partial<Record<ScenarioName, number>>> = {
  dealSet: 1_200,
  list: 600,
  since: 440,
  poll: 2_000,
  'list, sets of 200': 176,
  'one, 200 rows': 208,
};

/** Measures for two seconds how busy the machine is. Nothing of the bench may run meanwhile. */
export async function currentLoad(): Promise<Load> {
  const before = processorTimes();
  await sleep(WATCHED_MS);
  const after = processorTimes();
  const busyShare = 1 - (after.idle - before.idle) / (after.total - before.total);
  return { busyShare, average: loadavg()[0] ?? NaN };
}

function processorTimes(): { idle: number; total: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    idle: sum(times.map(({ idle }) => idle)),
    total: sum(times.flatMap((all) => Object.values(all))),
  };
}

/** Describes the load and its limit in one line. */
export function loadText({ busyShare, average }: Load): string {
  const percent = (share: number): string => `${Math.round(share * 100)}%`;
  return `processors in use: ${percent(busyShare)} (at most ${percent(MOST_BUSY)}), load average: ${average.toFixed(2)}`;
}

/** Returns whether the machine was too busy for ratios to server B. */
export function isTooBusy({ busyShare }: Load): boolean {
  return busyShare > MOST_BUSY;
}

/** The speed of server B in one scenario, and the least that ratios to it require. */
export interface FloorOfB {
  readonly scenario: ScenarioName;
  readonly perSecond: number;
  readonly least: number;
}

/** Returns the speed of server B in each scenario that has a floor. */
export function floorsOfB(figures: readonly Figure[]): FloorOfB[] {
  return figures
    .filter(({ server }) => server === 'B')
    .flatMap(({ scenario, perSecond }) => {
      const least = LEAST_OF_B[scenario];
      return least === undefined ? [] : [{ scenario, perSecond, least }];
    });
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Load, LoadResult } from './load-child.js';
import type { Sample } from './report.js';
import type { Scenario } from './scenarios.js';
import { cpuMsOf, cpuMsOfChildren, type ServerProcess } from './server-process.js';

/** The options of `playRounds`. */
export interface RoundsOptions {
  readonly scenarios: readonly Scenario[];
  readonly servers: readonly ServerProcess[];
  /** The PostgreSQL server's process id; its child processes do the work. */
  readonly databasePid: number;
  readonly rounds: number;
  /** How long each server is under load in a round, in seconds. */
  readonly seconds: number;
  /** Prints a line of progress. */
  readonly say: (text: string) => void;
}

/**
 * The maximum duration of the load before the first round, in seconds. During this load, code is
 * compiled, query plans are created and caches are filled.
 */
const WARM_UP = 5;

/**
 * Measures all rounds. In each round, the servers of a scenario are measured one after the other.
 * Every second round reverses their order, so that a drift of the machine affects all of them.
 */
export async function playRounds(options: RoundsOptions): Promise<Sample[]> {
  const { scenarios, databasePid, rounds, seconds, say } = options;
  // The load runs in a separate process, so that it does not disturb the measurement.
  const child = fork(new URL('./load-child.js', import.meta.url));
  const apply = async (load: Load): Promise<LoadResult> => {
    child.send(load);
    const [result] = (await once(child, 'message')) as [LoadResult];
    return result;
  };
  const serversOf = (scenario: Scenario): ServerProcess[] =>
    options.servers.filter(({ name }) => scenario.servers.includes(name));

  const measure = async (
    round: number,
    { name: scenario, connections }: Scenario,
    { name: server, url, pid }: ServerProcess,
  ): Promise<Sample> => {
    const before = [cpuMsOf(pid), cpuMsOfChildren(databasePid)] as const;
    const { answers, failures, ...times } = await apply({ url, seconds, connections });
    if (failures > 0) throw new Error(`${server} failed ${failures} requests of "${scenario}"`);
    say(`  ${scenario}, ${server}: ${Math.round(times.perSecond)}/s`);
    return {
      round,
      scenario,
      server,
      ...times,
      serverCpuUs: ((cpuMsOf(pid) - before[0]) * 1000) / answers,
      databaseCpuUs: ((cpuMsOfChildren(databasePid) - before[1]) * 1000) / answers,
    };
  };

  const samples: Sample[] = [];
  try {
    for (const scenario of scenarios)
      for (const { url } of serversOf(scenario))
        await apply({ ...scenario, url, seconds: Math.min(WARM_UP, seconds) });
    for (let round = 0; round < rounds; round += 1) {
      for (const scenario of scenarios) {
        const servers = serversOf(scenario);
        for (const server of round % 2 === 0 ? servers : servers.reverse())
          samples.push(await measure(round, scenario, server));
      }
    }
    return samples;
  } finally {
    child.kill();
  }
}

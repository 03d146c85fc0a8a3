import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Turn, TurnResult } from './load-child.js';
import type { Sample } from './report.js';
import type { Scenario } from './scenarios.js';
import { cpuMsOf, cpuMsOfChildren, residentMb, type ServerProcess } from './server-process.js';

/** Takes turns and notes what each cost. */
export class Rounds {
  readonly samples: Sample[] = [];
  /** In a process of its own, so that the load does not disturb the measuring. */
  readonly #child = fork(new URL('./load-child.js', import.meta.url));

  constructor(
    private readonly scenarios: readonly Scenario[],
    private readonly servers: readonly ServerProcess[],
    /** Of the PostgreSQL server, whose children do the work. */
    private readonly databasePid: number,
    private readonly say: (text: string) => void,
  ) {}

  /** Gets code compiled, plans made and pages cached, and measures nothing. */
  async warmUp(seconds: number): Promise<void> {
    for (const { servers, connections } of this.scenarios)
      for (const { url } of this.#of(servers)) await this.#take({ url, seconds, connections });
  }

  /**
   * In each round every scenario's servers take turns, in reverse order every second time, so that what drifts on
   * the machine drifts for all.
   */
  async play(rounds: number, seconds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      for (const scenario of this.scenarios) {
        const servers = this.#of(scenario.servers);
        for (const server of round % 2 === 0 ? servers : servers.reverse()) {
          const sample = await this.#turn(round, scenario, server, seconds);
          this.samples.push(sample);
          this.say(`  ${scenario.name}, ${server.name}: ${Math.round(sample.perSecond)}/s`);
        }
      }
    }
  }

  stop(): void {
    this.#child.kill();
  }

  #of(names: readonly string[]): ServerProcess[] {
    return this.servers.filter(({ name }) => names.includes(name));
  }

  async #take(turn: Turn): Promise<TurnResult> {
    this.#child.send(turn);
    const [result] = (await once(this.#child, 'message')) as [TurnResult];
    return result;
  }

  async #turn(
    round: number,
    { name: scenario, connections }: Scenario,
    { name: server, url, pid }: ServerProcess,
    seconds: number,
  ): Promise<Sample> {
    const before = [cpuMsOf(pid), cpuMsOfChildren(this.databasePid)] as const;
    const taken = await this.#take({ url, seconds, connections });
    const { answers, failures, ...times } = taken;
    if (failures > 0) throw new Error(`${server} failed ${failures} requests of "${scenario}"`);
    return {
      round,
      scenario,
      server,
      ...times,
      serverCpuUs: ((cpuMsOf(pid) - before[0]) * 1000) / answers,
      databaseCpuUs: ((cpuMsOfChildren(this.databasePid) - before[1]) * 1000) / answers,
      residentMb: residentMb(pid),
    };
  }
}

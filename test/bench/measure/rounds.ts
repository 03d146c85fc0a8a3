import type { LoadGenerator } from '../load/load-generator.js';
import type { Scenario } from '../load/scenarios.js';
import { cpuMsOf, cpuMsOfChildren, residentMb } from '../servers/process-usage.js';
import type { ServerName, ServerProcess } from '../servers/server-process.js';
import type { Measure } from './figures.js';

/** One server's turn with one scenario in one round: milliseconds, and microseconds of processor time a request. */
export interface Sample extends Readonly<Record<Measure, number>> {
  readonly round: number;
  readonly scenario: Scenario['name'];
  readonly server: ServerName;
}

/** What takes turns with what: every server with every scenario it is in. */
export interface Contest {
  readonly scenario: Scenario;
  readonly servers: readonly ServerProcess[];
}

/** Takes turns and notes what each cost. */
export class Rounds {
  readonly samples: Sample[] = [];

  constructor(
    private readonly load: LoadGenerator,
    /** Of the PostgreSQL server, whose children do the work. */
    private readonly databasePid: number,
    private readonly say: (text: string) => void,
  ) {}

  /** Gets code compiled, plans made and pages cached, and measures nothing. */
  async warmUp(contests: readonly Contest[], seconds: number): Promise<void> {
    for (const { scenario, servers } of contests) {
      for (const { url } of servers)
        await this.load.take({ url, seconds, connections: scenario.connections });
    }
  }

  /**
   * Plays rounds: in each, every contest's servers one after the other, in reverse order every second time,
   * so that what drifts on the machine drifts for all.
   */
  async play(contests: readonly Contest[], rounds: number, seconds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      for (const { scenario, servers } of contests) {
        for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
          const sample = await this.#turn(round, scenario, server, seconds);
          this.samples.push(sample);
          this.say(`  ${scenario.name}, ${server.name}: ${Math.round(sample.perSecond)}/s`);
        }
      }
    }
  }

  async #turn(
    round: number,
    { name, connections }: Scenario,
    server: ServerProcess,
    seconds: number,
  ): Promise<Sample> {
    const serverBefore = cpuMsOf(server.pid);
    const databaseBefore = cpuMsOfChildren(this.databasePid);
    const { answers, failures, perSecond, p50, p99 } = await this.load.take({
      url: server.url,
      seconds,
      connections,
    });
    const serverMs = cpuMsOf(server.pid) - serverBefore;
    const databaseMs = cpuMsOfChildren(this.databasePid) - databaseBefore;
    if (failures > 0) throw new Error(`${server.name} failed ${failures} requests of "${name}"`);
    return {
      round,
      scenario: name,
      server: server.name,
      perSecond,
      p50,
      p99,
      serverCpuUs: (serverMs * 1000) / answers,
      databaseCpuUs: (databaseMs * 1000) / answers,
      residentMb: residentMb(server.pid),
    };
  }
}

import type { LoadGenerator } from '../load/load-generator.js';
import type { Scenario } from '../load/scenarios.js';
import { cpuMsOf, cpuMsOfChildren, residentMb } from '../servers/process-usage.js';
import type { ServerName, ServerProcess } from '../servers/server-process.js';

/** One server's turn with one scenario in one round. */
export interface Sample {
  readonly round: number;
  readonly scenario: Scenario['name'];
  readonly server: ServerName;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time a request. */
  readonly serverCpuUs: number;
  readonly databaseCpuUs: number;
  readonly residentMb: number;
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
  ) {}

  /** Gets code compiled, plans made and pages cached, and measures nothing. */
  async warmUp(contests: readonly Contest[], seconds: number): Promise<void> {
    for (const { scenario, servers } of contests) {
      for (const { url } of servers)
        await this.load.take({ url, seconds, connections: scenario.connections });
    }
  }

  /**
   * Plays rounds: in each, every contest's servers one after the other, the order turned round each time,
   * so that what drifts on the machine drifts for all.
   */
  async play(
    contests: readonly Contest[],
    rounds: number,
    seconds: number,
    onTurn: (sample: Sample) => void,
  ): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      for (const { scenario, servers } of contests) {
        const order = round % 2 === 0 ? servers : [...servers].reverse();
        for (const server of order) {
          const sample = await this.#turn(round, scenario, server, seconds);
          this.samples.push(sample);
          onTurn(sample);
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
    const result = await this.load.take({ url: server.url, seconds, connections });
    const serverMs = cpuMsOf(server.pid) - serverBefore;
    const databaseMs = cpuMsOfChildren(this.databasePid) - databaseBefore;
    if (result.failures > 0)
      throw new Error(`${server.name} failed ${result.failures} requests of "${name}"`);
    return {
      round,
      scenario: name,
      server: server.name,
      perSecond: result.perSecond,
      p50: result.p50,
      p99: result.p99,
      serverCpuUs: (serverMs * 1000) / result.answers,
      databaseCpuUs: (databaseMs * 1000) / result.answers,
      residentMb: residentMb(server.pid),
    };
  }
}

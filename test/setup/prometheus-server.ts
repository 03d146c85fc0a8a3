import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { describeWith, findProgram } from './describe-with.js';
import { eventually } from './eventually.js';
import { temporaryDirectory } from './test-cluster.js';

const PROGRAM = findProgram('prometheus') && findProgram('promtool');

/** `describe` on a machine with Prometheus and its `promtool`. */
export const describeWithPrometheus = (name: string, tests: () => void): void =>
  describeWith(PROGRAM, 'prometheus', name, tests);

/** One series of the result of a query. */
export interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A real Prometheus on its own port, which scrapes one service every second. */
export class PrometheusServer {
  private constructor(
    private readonly port: number,
    private readonly directory: string,
    private readonly process: ChildProcess,
  ) {}

  /**
   * @param target host and port of the metrics, which become the job `deal-sets`.
   * @param ruleFile path of the rules that it evaluates.
   */
  static async start(target: string, ruleFile: string): Promise<PrometheusServer> {
    const directory = temporaryDirectory('prometheus');
    const port = await freePort();
    const configuration = path.join(directory, 'prometheus.json');
    // Valid YAML, because YAML includes JSON.
    writeFileSync(
      configuration,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [ruleFile],
        scrape_configs: [{ job_name: 'deal-sets', static_configs: [{ targets: [target] }] }],
      }),
    );
    const process = spawn(
      'prometheus',
      [
        `--config.file=${configuration}`,
        `--storage.tsdb.path=${path.join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const server = new PrometheusServer(port, directory, process);
    try {
      await eventually(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined);
        if (!response?.ok) throw new Error(`Prometheus did not start on port ${port}`);
      }, 120_000);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Evaluates an expression at the current time. @throws if Prometheus rejects it. */
  async query(expression: string): Promise<QueriedSeries[]> {
    const { result } = await this.#get<{ result: QueriedSeries[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return result;
  }

  /** Returns the rules that it evaluates, with their health. */
  async rules(): Promise<{ readonly name: string; readonly health: string }[]> {
    const { groups } = await this.#get<{
      groups: { rules: { name: string; health: string }[] }[];
    }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  /**
   * Returns the names of the metrics that the service declares, including those without a value
   * yet.
   */
  async metricNames(): Promise<string[]> {
    return Object.keys(await this.#get<Record<string, unknown>>('metadata'));
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      this.process.kill('SIGKILL');
      await once(this.process, 'exit');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #get<Data>(target: string): Promise<Data> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/${target}`);
    const body = (await response.json()) as { data: Data; error?: string };
    if (body.error !== undefined) throw new Error(body.error);
    return body.data;
  }
}

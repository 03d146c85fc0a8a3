import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { describeWith, findProgram } from '../../setup/describe-with.js';
import { eventually } from '../../setup/eventually.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';

const DEPLOY = path.resolve(__dirname, '../../../deploy');
const PROGRAM = findProgram('prometheus') && findProgram('promtool');

/** `describe` on a machine with Prometheus and its `promtool`. */
export const describeWithPrometheus = (name: string, tests: () => void): void =>
  describeWith(PROGRAM, 'prometheus', name, tests);

/** One series of the result of a query. */
export interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A real Prometheus on its own port, which scrapes one service every second as documented. */
export class PrometheusServer {
  private constructor(
    private readonly port: number,
    private readonly directory: string,
    private readonly process: ChildProcess,
  ) {}

  /**
   * Starts it with `deploy/prometheus.yaml`.
   *
   * @param target host and port of the metrics, instead of those in the file.
   */
  static async start(target: string): Promise<PrometheusServer> {
    const directory = temporaryDirectory('prometheus');
    const port = await freePort();
    const configuration = path.join(directory, 'prometheus.yaml');
    const documented = readFileSync(path.join(DEPLOY, 'prometheus.yaml'), 'utf8');
    writeFileSync(
      configuration,
      documented
        .replace(/targets: .*/, `targets: ['${target}']`)
        .replace('scrape_interval: 15s', 'scrape_interval: 1s')
        .replace('rule_files: [', `global: { evaluation_interval: 1s }\nrule_files: [${DEPLOY}/`),
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
      });
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

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { eventually } from '../../../test/setup/eventually.js';
import { readPostmasterFile } from '../../embedded-postgres/src/cluster.js';
import { freePort } from '../../embedded-postgres/src/free-port.js';

/** The built demo, as `npm run demo` starts it. */
export const DEMO_MAIN = path.resolve(__dirname, '../dist/main.js');

/**
 * A running demo with its embedded PostgreSQL. The demo leads a separate process group, like the
 * foreground job of a shell.
 */
export class DemoProcess {
  output = '';

  private constructor(
    readonly child: ChildProcess,
    private readonly port: number,
    private readonly directory: string,
  ) {}

  static async start(directory: string): Promise<DemoProcess> {
    const port = await freePort();
    const child = spawn(process.execPath, [DEMO_MAIN], {
      cwd: directory,
      env: childEnvironment({
        PORT: String(port),
        DATABASE_URL: 'postgres://another.example/live',
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const demo = new DemoProcess(child, port, directory);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (demo.output += text.toString()));
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(demo.output);
      expect(demo.output).toContain('/approvals');
    });
    return demo;
  }

  /** The process id of the PostgreSQL server of the demo. */
  get postgresPid(): number {
    return readPostmasterFile(path.join(this.directory, '.data/postgres'))!.pid;
  }

  /** The address of the database, as the demo prints it for other commands. */
  get databaseUrl(): string {
    return /DATABASE_URL=(\S+)/.exec(this.output)![1]!;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** The text of `/curl`, ready to paste into a shell. */
  async curlText(): Promise<string> {
    return (await fetch(`${this.url}/curl`)).text();
  }

  /** Requests the list as the buyer of `/curl`, on a separate connection. */
  async list(query = ''): Promise<Response> {
    const cookie = /__Host-session=[\w-]+/.exec(await this.curlText())?.[0] ?? '';
    const headers = { cookie, connection: 'close' };
    return fetch(`${this.url}/api/v1/deal-sets${query}`, { headers });
  }

  /** Sends the signal to every process of the group, as a terminal's Ctrl-C does. */
  async interrupt(signal: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]> {
    const ended = once(this.child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    process.kill(-this.child.pid!, signal);
    return ended;
  }
}

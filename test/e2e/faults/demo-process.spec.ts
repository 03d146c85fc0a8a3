import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../../setup/eventually.js';
import { keepFigure } from '../../setup/figures.js';
import { freePort } from '../../../src/embedded-postgres/free-port.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';

const CLI = path.resolve(__dirname, '../../../dist/cli.js');

/** The demo with its embedded PostgreSQL, leading a process group as a shell's foreground job does. */
class DemoProcess {
  output = '';

  private constructor(
    readonly child: ChildProcess,
    private readonly port: number,
    private readonly directory: string,
  ) {}

  static async start(directory: string): Promise<DemoProcess> {
    const port = await freePort();
    const child = spawn(process.execPath, [CLI, 'demo'], {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const demo = new DemoProcess(child, port, directory);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (demo.output += text.toString()));
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(demo.output);
      expect(demo.output).toContain('openapi.json');
    }, 60_000);
    return demo;
  }

  /** The postmaster that serves it. */
  get postgresPid(): number {
    const file = path.join(this.directory, '.data/postgres/postmaster.pid');
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  }

  /** Status of the list for the buyer of the guide, on a connection of its own. */
  async listStatus(): Promise<number> {
    const cookie = /__Host-session=[\w-]+/.exec(this.output)?.[0] ?? '';
    const answer = await fetch(`http://127.0.0.1:${this.port}/api/v1/deal-sets`, {
      headers: { cookie, connection: 'close' },
    });
    return answer.status;
  }

  /** Sends the signal to every process of the group, as a terminal's Ctrl-C does. */
  async interrupt(signal: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]> {
    const ended = once(this.child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    process.kill(-this.child.pid!, signal);
    return ended;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A process that has ended stays listed until its parent looks; a system without /proc does not show it.
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}

describe('the demo and its embedded PostgreSQL', () => {
  const directory = temporaryDirectory('demo-process');
  chmodSync(directory, 0o755);
  let demo: DemoProcess | undefined;

  afterAll(async () => {
    if (demo?.child.exitCode === null && demo.child.signalCode === null)
      await demo.interrupt('SIGKILL');
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  });

  it('stop cleanly on Ctrl-C and leave nothing running', async () => {
    demo = await DemoProcess.start(directory);
    expect(await demo.listStatus()).toBe(200);
    const { postgresPid } = demo;
    const stoppedAt = performance.now();
    expect(await demo.interrupt('SIGINT')).toEqual([0, null]);
    const tookMs = performance.now() - stoppedAt;
    expect(isAlive(postgresPid)).toBe(false);
    expect(existsSync(path.join(directory, '.data/postgres/postmaster.pid'))).toBe(false);
    expect(tookMs).toBeLessThan(10_000);
    keepFigure({ fault: 'Ctrl-C on the demo', answeredMs: tookMs, note: 'no PostgreSQL left' });
  }, 120_000);

  it('survive kill -9: the next start recovers without help', async () => {
    demo = await DemoProcess.start(directory);
    const { postgresPid } = demo;
    await demo.interrupt('SIGKILL');
    const killedAt = performance.now();
    demo = await DemoProcess.start(directory);
    const recoveredMs = performance.now() - killedAt;
    expect(await demo.listStatus()).toBe(200);
    expect(demo.postgresPid).not.toBe(postgresPid);
    await eventually(() => expect(isAlive(postgresPid)).toBe(false));
    keepFigure({ fault: 'kill -9 of the demo, started again', recoveredMs });
  }, 120_000);

  it('survive kill -9 of the database too', async () => {
    const { postgresPid } = demo!;
    process.kill(postgresPid, 'SIGKILL');
    await eventually(() => expect(isAlive(postgresPid)).toBe(false));
    expect(await demo!.listStatus()).toBe(503);
    await demo!.interrupt('SIGINT');
    demo = await DemoProcess.start(directory);
    expect(await demo.listStatus()).toBe(200);
    expect(await demo.interrupt('SIGINT')).toEqual([0, null]);
  }, 120_000);
});

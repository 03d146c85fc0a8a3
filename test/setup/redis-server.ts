import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { describeWith, findProgram } from './describe-with.js';
import { eventually } from './eventually.js';

const PROGRAM = findProgram('redis-server');

/** `describe` where there is a Redis. */
export const describeWithRedis = (name: string, tests: () => void): void =>
  describeWith(PROGRAM, 'redis-server', name, tests);

/** A real Redis on a port of its own, which keeps nothing on disk. */
export class RedisServer {
  #process: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  /** @param options further words of the command line. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.run(...options);
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again after `stop`, empty. */
  async run(...options: string[]): Promise<void> {
    this.#process = spawn(
      'redis-server',
      [
        '--port',
        String(this.port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        tmpdir(),
        ...options,
      ],
      { stdio: 'ignore' },
    );
    await eventually(async () => {
      if (!(await this.#answers())) throw new Error(`Redis did not start on port ${this.port}`);
    }, 60_000);
  }

  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.write('PING\r\n'));
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString().startsWith('+PONG'));
      });
    });
  }
}

/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback -- for suites to use */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';

/** Whether this machine has a `redis-server`. */
export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

/**
 * `describe` where there is a Redis. Elsewhere the tests say loudly that they did not run, and one that
 * passes carries that in its name.
 */
export function describeWithRedis(name: string, tests: () => void): void {
  if (HAS_REDIS) {
    describe(name, tests);
    return;
  }
  console.warn(`NOT RUN for want of redis-server on this machine: ${name}`);
  describe(name, () => {
    it('did NOT run: there is no redis-server on this machine', () => {
      expect(HAS_REDIS).toBe(false);
    });
  });
}

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
    while (!(await this.#answers())) await pause(20);
  }

  /** Stops the process in its tracks: connections stay open and nothing answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null) return;
    process.kill('SIGCONT');
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

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import type { ServerCertificate } from './certificates.js';
import { describeWith, findProgram } from './describe-with.js';
import { eventually } from './eventually.js';

const PROGRAM = findProgram('redis-server');

/** `describe` on a machine with Redis. */
export const describeWithRedis = (name: string, tests: () => void): void =>
  describeWith(PROGRAM, 'redis-server', name, tests);

/** A real Redis on its own port, without persistence. */
export class RedisServer {
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly certificate?: ServerCertificate,
  ) {}

  /** @param options further arguments of the command line. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.run(...options);
    return server;
  }

  /** Starts a Redis that accepts connections only over TLS. */
  static async startWithTls(certificate: ServerCertificate): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), certificate);
    const { ca, cert, key } = certificate;
    await server.run(
      ...['--port', '0', '--tls-port', String(server.port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca],
    );
    return server;
  }

  get url(): string {
    return this.certificate ? `rediss://localhost:${this.port}` : `redis://127.0.0.1:${this.port}`;
  }

  /** Returns the address with these credentials. */
  urlFor(user: string, password: string): string {
    return Object.assign(new URL(this.url), { username: user, password }).href;
  }

  /** Starts it again after `stop`, without data. */
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
      if (!(await this.#isReachable())) throw new Error(`Redis did not start on port ${this.port}`);
    });
  }

  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  #isReachable(): Promise<boolean> {
    return new Promise((resolve) => {
      const { port, certificate } = this;
      const socket: Socket = certificate
        ? connectTls({ host: 'localhost', port, ca: readFileSync(certificate.ca) })
        : connect(port, '127.0.0.1');
      socket.once('error', () => resolve(false));
      socket.once(certificate ? 'secureConnect' : 'connect', () => socket.write('PING\r\n'));
      socket.once('data', (data: Buffer) => {
        socket.destroy();
        resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()));
      });
    });
  }
}

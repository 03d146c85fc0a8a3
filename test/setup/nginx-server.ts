import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { describeWith, findProgram } from './describe-with.js';
import { eventually } from './eventually.js';
import { temporaryDirectory } from './test-cluster.js';

/** Debian installs it in a folder that is not on every path. */
const PROGRAM = findProgram('nginx', '/usr/sbin/nginx');

/** `describe` on a machine with nginx and `openssl`, which creates its certificate. */
export const describeWithNginx = (name: string, tests: () => void): void =>
  describeWith(PROGRAM && findProgram('openssl'), 'nginx or openssl', name, tests);

/** A real nginx with the configuration of `deploy/nginx.conf` and a self-signed certificate. */
export class NginxServer {
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(
    readonly port: number,
    /** The certificate, which a client has to trust. */
    readonly certificate: string,
    directory: string,
  ) {
    this.#directory = directory;
    this.#process = spawn(PROGRAM!, ['-c', path.join(directory, 'nginx.conf')], {
      stdio: 'ignore',
    });
  }

  /**
   * Starts nginx in front of these addresses.
   *
   * @param serverName the host name of the configuration.
   * @param instances host and port of each instance.
   * @param locations further locations of the server, as an operator would add them.
   */
  static async start(
    serverName: string,
    instances: readonly string[],
    locations = '',
  ): Promise<NginxServer> {
    const directory = temporaryDirectory('nginx');
    chmodSync(directory, 0o755);
    const port = await freePort();
    const certificate = path.join(directory, 'server.crt');
    const key = path.join(directory, 'server.key');
    makeCertificate(serverName, certificate, key);
    const site = readFileSync(path.join(__dirname, '../../deploy/nginx.conf'), 'utf8')
      .replaceAll('/etc/ssl/deal-sets/api.example.com.crt', certificate)
      .replaceAll('/etc/ssl/deal-sets/api.example.com.key', key)
      .replaceAll('api.example.com', serverName)
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replace(/(^ {2}server 10\.0\.0\..*\n)+/m, (servers) => {
        const [first = ''] = servers.split(/^(?= {2}server)/m);
        return instances.map((address) => first.replace(/10[.\d:]+/, address)).join('');
      })
      .replace(/^ {2}location \/ \{\n {4}proxy_pass/m, (location) => `${locations}\n${location}`);
    writeFileSync(path.join(directory, 'deal-sets.conf'), site);
    writeFileSync(path.join(directory, 'nginx.conf'), mainConfiguration(directory));
    execFileSync(PROGRAM!, ['-t', '-c', path.join(directory, 'nginx.conf')], { stdio: 'pipe' });
    const server = new NginxServer(port, readFileSync(certificate, 'utf8'), directory);
    try {
      await eventually(() => accepts(port));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM');
      await once(this.#process, 'exit');
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The configuration of a distribution around the site. Every file is in the directory. */
function mainConfiguration(directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${directory}/${kind};\n`)
    .join('');
  return `daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 1024; }
http {
${temporary}  access_log off;
  include ${directory}/deal-sets.conf;
}
`;
}

function makeCertificate(serverName: string, certificate: string, key: string): void {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...[
        '-days',
        '2',
        '-subj',
        `/CN=${serverName}`,
        '-addext',
        `subjectAltName=DNS:${serverName}`,
      ],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'pipe' },
  );
}

function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

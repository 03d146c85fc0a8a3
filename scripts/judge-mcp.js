/**
 * Checks the MCP endpoint of the built demo, and of a host application on Fastify and on Express,
 * with independent programs: the protocol's conformance suite for both protocol versions, and on
 * the demo the command line of the MCP Inspector with `--strict`. Both need a newer Node than the
 * service. If that Node or the packages are missing, the script fails.
 *
 *   node scripts/judge-mcp.js
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '@deal-sets/embedded-postgres';
import { startHostApplication } from '../test/mcp-conformance/host-application.js';
import { assistantToken, freePort, startServer } from './local-server.js';

const ROOT = path.join(import.meta.dirname, '..');
const BASELINES = path.join(ROOT, 'test/mcp-conformance');
const JUDGES = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];
const LOWEST_NODE = [22, 19];
/** The time limit of one program, and of the installation, in milliseconds. */
const LIMIT_MS = 180_000;
const REVISIONS = ['2026-07-28', '2025-11-25'];

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-judges-'));
const ending = [];
try {
  const reason = missing() ?? install();
  if (reason) throw new Error(`the MCP judges did not run: ${reason}`);
  await judge();
} finally {
  for (const end of ending.reverse()) await end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}

function missing() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isOld = major < LOWEST_NODE[0] || (major === LOWEST_NODE[0] && minor < LOWEST_NODE[1]);
  return isOld
    ? `they need Node ${LOWEST_NODE.join('.')} or newer, and this is ${process.versions.node}`
    : undefined;
}

function install() {
  try {
    const options = [
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--loglevel=error',
    ];
    // The limit is needed because npm retries for many minutes if the registry does not respond.
    execFileSync('npm', ['install', '--prefix', folder, ...options, ...JUDGES], {
      stdio: 'pipe',
      timeout: LIMIT_MS,
    });
    return undefined;
  } catch (error) {
    const [line] = String(error.stderr ?? '')
      .trim()
      .split('\n');
    return `npm could not install them (${line || error.message})`;
  }
}

async function judge() {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  // Each program sends more requests in a minute than the rate limit allows.
  const env = { PATH: process.env.PATH, PORT: String(port), READ_RATE_LIMIT: '1000000' };
  const main = path.join(ROOT, 'packages/demo/dist/main.js');
  const demo = await startServer([main], { cwd: folder, env });
  ending.push(demo.stop);
  const token = await assistantToken(port);
  await judgeConformance('the demo', port, token);
  const database = await EmbeddedPostgres.attachOrStart({ directory: path.join(folder, '.data') });
  for (const adapter of ['fastify', 'express']) {
    const host = await startHostApplication(adapter, { databaseUrl: database.url, origin });
    ending.push(host.stop);
    await judgeConformance(`a host application on ${adapter}`, host.port, token);
  }
  await run('conformance of the authorization server', 'conformance', [
    'authorization',
    '--url',
    origin,
  ]);
  for (const call of [
    ['--method', 'tools/list', '--strict'],
    ['--method', 'tools/call', '--tool-name', 'list_price_requests'],
  ]) {
    const header = `Authorization: Bearer ${token}`;
    await run(`inspector ${call[1]}`, 'mcp-inspector', [
      ...['--cli', `${origin}/mcp`, '--transport', 'http', '--header', header],
      ...call,
    ]);
  }
}

async function judgeConformance(server, port, token) {
  const proxy = await startProxy(port, token);
  ending.push(() => proxy.close());
  for (const revision of REVISIONS) {
    await run(`conformance of ${server}, ${revision}`, 'conformance', [
      'server',
      ...['--url', `http://localhost:${proxy.address().port}/mcp`, '--requirements', revision],
      ...['--expected-failures', path.join(BASELINES, `${revision}.yaml`)],
      ...['--output-dir', path.join(folder, 'results')],
    ]);
  }
}

/** Starts a proxy that adds the token, because the conformance suite cannot send one. */
function startProxy(port, token) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method, url } = incoming;
    const call = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    call.on('error', () => outgoing.destroy());
    incoming.pipe(call);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/**
 * Runs a program and shows its output if it fails. The call is asynchronous because the proxy runs
 * in this process.
 */
async function run(what, judge, args) {
  const program = path.join(folder, 'node_modules/.bin', judge);
  try {
    const { stdout: said } = await promisify(execFile)(process.execPath, [program, ...args], {
      cwd: folder,
      maxBuffer: 1 << 26,
      timeout: LIMIT_MS,
    });
    console.log(`${what}: passed`);
    if (process.env.JUDGES_VERBOSE) console.log(said);
  } catch (error) {
    console.error(`${what}: failed\n\n${error.stdout ?? ''}${error.stderr ?? error}`);
    process.exitCode = 1;
  }
}

/**
 * Processor time of a tool call beside that of the REST read with the same answer, in the built demo. Run it on
 * a quiet machine, after `npm run build` and `npm run demo:build`. Needs Linux's /proc.
 *
 *   node scripts/measure-mcp.js
 */
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from './local-server.js';

const ROOT = path.join(import.meta.dirname, '..');
const PORT = 3987;
const ROUNDS = 7;
const CALLS = 600;
const TICK_MS = 10;
const BUYER = 'b0000000-0000-4000-8000-000000000001';
const SET = '5e000000-0000-4000-8000-000000000001';

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-measure-'));
const env = { PATH: process.env.PATH, PORT: String(PORT), READ_RATE_LIMIT: '1000000' };
let demo;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  const main = path.join(ROOT, 'packages/demo/dist/main.js');
  demo = await startServer(['--max-semi-space-size=64', main], { cwd: folder, env });
  const cli = [
    path.join(ROOT, 'dist/cli.js'),
    'token',
    '--buyer',
    BUYER,
    '--client',
    'road-helper',
  ];
  const token = execFileSync(process.execPath, cli, { cwd: folder, env, encoding: 'utf8' }).trim();
  const kinds = {
    rest: () => rest(token),
    modern: () => tool(token, true),
    legacy: () => tool(token, false),
  };
  const all = { rest: [], modern: [], legacy: [] };
  for (const call of Object.values(kinds)) await repeat(call, 1_500);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries(kinds)) {
      const before = processorMs();
      await repeat(call, CALLS);
      all[name].push((processorMs() - before) / CALLS);
    }
  }
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  for (const [name, values] of Object.entries(all)) {
    const beside = median(values) - median(all.rest);
    console.log(
      `${name}: ${median(values).toFixed(2)} ms of processor time, ${beside.toFixed(2)} ms beside REST`,
    );
  }
} finally {
  agent.destroy();
  await demo?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}

function rest(token) {
  return send('GET', `/api/v1/deal-sets/${SET}`, { authorization: `Bearer ${token}` });
}

function tool(token, isModern) {
  const version = isModern ? '2026-07-28' : '2025-11-25';
  const claims = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'measure', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = 'get_deal_set';
  const params = { name, arguments: { dealSetId: SET }, ...(isModern && { _meta: claims }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return send(
    'POST',
    '/mcp',
    {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
    body,
  );
}

function send(method, target, headers, body) {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent,
        host: '127.0.0.1',
        port: PORT,
        method,
        path: target,
        headers: { host: `localhost:${PORT}`, ...headers },
      },
      (response) => {
        response.resume();
        response.once('end', () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`${target}: ${response.statusCode}`)),
        );
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

async function repeat(call, times) {
  for (let index = 0; index < times; index += 1) await call();
}

/** User and system time of the demo so far. */
function processorMs() {
  const fields = readFileSync(`/proc/${demo.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

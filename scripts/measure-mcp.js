/**
 * Compares the processor time and latency of a tool call with those of the REST read that returns
 * the same data, in the built demo, for both protocol versions. REST and MCP take turns, so that
 * other load on the machine affects both. Run it on a quiet machine after `npm run build:all`. It
 * needs the `/proc` of Linux.
 *
 *   node scripts/measure-mcp.js
 */
import { Buffer } from 'node:buffer';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { assistantToken, startServer } from './local-server.js';

const ROOT = path.join(import.meta.dirname, '..');
const PORT = 3987;
const WARM_UP = 1_500;
const ROUNDS = 100;
const CALLS = 40;
const NS_PER_MS = 1e6;
const SET = '5e000000-0000-4000-8000-000000000001';

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-measure-'));
const env = { PATH: process.env.PATH, PORT: String(PORT), READ_RATE_LIMIT: '1000000' };
let demo;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  const main = path.join(ROOT, 'packages/demo/dist/main.js');
  demo = await startServer(['--max-semi-space-size=64', main], { cwd: folder, env });
  const token = await assistantToken(PORT);
  const kinds = {
    rest: () => rest(token),
    modern: () => tool(token, true),
    legacy: () => tool(token, false),
  };
  for (const call of Object.values(kinds)) await repeat(call, WARM_UP);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures = {};
    for (const [name, call] of Object.entries(kinds)) {
      const before = processorMs();
      const latencies = await repeat(call, CALLS);
      figures[name] = { processor: (processorMs() - before) / CALLS, latency: median(latencies) };
    }
    rounds.push(figures);
  }
  for (const name of Object.keys(kinds)) {
    console.log(
      `${name}: ${report(rounds, name, 'processor')}; ${report(rounds, name, 'latency')}`,
    );
  }
  console.log(`load of the machine: ${loadavg()[0].toFixed(2)}`);
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
  const latencies = [];
  for (let index = 0; index < times; index += 1) {
    const startedAt = performance.now();
    await call();
    latencies.push(performance.now() - startedAt);
  }
  return latencies;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * Formats the median of a figure over all rounds. For MCP, the text also contains the medians of
 * the difference from REST and of the ratio to REST within a round.
 */
function report(rounds, name, figure) {
  const own = median(rounds.map((round) => round[name][figure]));
  const added = median(rounds.map((round) => round[name][figure] - round.rest[figure]));
  const ratio = median(rounds.map((round) => round[name][figure] / round.rest[figure]));
  const beside = name === 'rest' ? '' : ` (REST + ${added.toFixed(2)} ms, x ${ratio.toFixed(2)})`;
  return `${figure} ${own.toFixed(2)} ms${beside}`;
}

/** Returns the processor time of all threads of the demo so far, in milliseconds. */
function processorMs() {
  const tasks = `/proc/${demo.pid}/task`;
  return readdirSync(tasks)
    .map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / NS_PER_MS, 0);
}

import { Agent } from 'node:http';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { call, LIST, type HttpResponse } from '../setup/http-call.js';
import { startProcess, type RunningProcess } from '../setup/start-process.js';
import { World } from '../setup/world.js';

/**
 * The largest cost of a message that reads nothing, as a multiple of that of a rejected call of REST.
 * The protocol's library checks a message before a tool is called, so the largest one whose
 * parameters have many members costs the most, about ten times.
 */
const MOST_TIMES = 12;
const ROUNDS = 5;
const CALLS_PER_ROUND = 60;

const toolCall = (since: unknown): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_price_requests', arguments: { since } },
  });
/** A call of a tool with arrays in arrays, of about this many bytes. */
const nestedCall = (bytes: number): string =>
  toolCall('').replace('""', '['.repeat(bytes / 2) + ']'.repeat(bytes / 2));
/** Empty objects of about this many bytes. */
const objects = (bytes: number): object[] => Array.from({ length: bytes / 3 }, () => ({}));
/** A call of a tool whose parameters have further members, of about this many bytes. */
const callWithMembers = (bytes: number): string => {
  const members = Array.from({ length: bytes / 8 }, (_, index) => [index.toString(36), 0]);
  return toolCall('').replace(
    '"params":{',
    `"params":{"_meta":${JSON.stringify(Object.fromEntries(members))},`,
  );
};

/** Bodies on both sides of the limit of 16 KiB. */
const BODIES: readonly (readonly [what: string, body: string])[] = [
  ['small call', toolCall('1970-01-01T00:00:00Z')],
  ['small list of tools', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })],
  ['array of objects, 63 kB', JSON.stringify(objects(63_000))],
  ['array of objects, 15 kB', JSON.stringify(objects(15_000))],
  ['call with one text, 62 kB', toolCall('x'.repeat(62_000))],
  ['call with one text, 15 kB', toolCall('x'.repeat(15_000))],
  ['call with objects, 62 kB', toolCall(objects(62_000))],
  ['call with objects, 15 kB', toolCall(objects(15_000))],
  ['call with members, 15 kB', callWithMembers(15_000)],
  ['nested call, 50 kB', nestedCall(50_000)],
  ['nested call, 15 kB', nestedCall(15_000)],
];

describe('messages of an assistant that is over its rate limit', () => {
  let world: World;
  let service: RunningProcess;
  let authorization: string;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    world = await World.create();
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    service = await startProcess({
      ...world.env,
      PORT: String(port),
      MCP: 'on',
      PUBLIC_URL: publicUrl,
      AUTH_AUDIENCE: publicUrl,
      READ_RATE_LIMIT: '1',
      READ_RATE_WINDOW_SECONDS: '3600',
    });
    authorization = `Bearer ${await world.token({ claims: { aud: publicUrl } })}`;
    await read();
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
    await world.stop();
  });

  const read = (): Promise<HttpResponse> =>
    call(service.port, LIST, { headers: { authorization }, agent });
  const post = (body: string): Promise<HttpResponse> =>
    call(service.port, '/mcp', {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body,
      agent,
    });

  /** The processor time that all threads of the service have used, in milliseconds. */
  async function processorTime(): Promise<number> {
    const { text } = await call(service.managementPort, '/metrics');
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1000;
  }

  /** The processor time of one call in milliseconds. */
  async function costOf(send: () => Promise<HttpResponse>): Promise<number> {
    const before = await processorTime();
    for (let index = 0; index < CALLS_PER_ROUND; index += 1) await send();
    return ((await processorTime()) - before) / CALLS_PER_ROUND;
  }

  it('cost at most twelve times the processor time of a rejected call of REST', async () => {
    const sends = [
      read,
      ...BODIES.map(
        ([, body]) =>
          () =>
            post(body),
      ),
    ];
    // The rounds alternate, so that other work of the machine affects all kinds. The first one only
    // lets the engine compile.
    const rounds: number[][] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const costs: number[] = [];
      for (const send of sends) costs.push(await costOf(send));
      rounds.push(costs);
    }
    const [restCost, ...costs] = sends.map((_, index) =>
      Math.min(...rounds.slice(1).map((round) => round[index]!)),
    );
    expect((await read()).status).toBe(429);
    process.stdout.write(`rejected: REST ${restCost!.toFixed(2)} ms\n`);
    const tooDear: string[] = [];
    for (const [index, [what, body]] of BODIES.entries()) {
      const times = costs[index]! / restCost!;
      const { status } = await post(body);
      const line = `${what}: ${costs[index]!.toFixed(2)} ms, ${times.toFixed(1)} times`;
      process.stdout.write(`rejected: ${line}, ${status}\n`);
      if (times > MOST_TIMES) tooDear.push(line);
    }
    expect(tooDear).toEqual([]);
  });
});

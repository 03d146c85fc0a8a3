import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { load, smallWorld } from '../../builders/index.js';
import { McpService } from '../../setup/mcp-service.js';

const world = smallWorld();
let mcp: McpService;

beforeAll(async () => {
  mcp = await McpService.start();
  await load(mcp.service.database, world.records);
});
afterAll(() => mcp.stop());

interface Seen {
  readonly version: string;
  readonly tools: readonly string[];
  readonly list: { readonly structuredContent: { readonly data: readonly unknown[] } };
  readonly set: { readonly content: readonly { readonly text: string }[] };
  readonly missing: { readonly isError: boolean };
}

/** Runs a client in a process of its own, as ES modules: it checks each result by the tool's schema. */
async function seenBy(client: string): Promise<Seen> {
  const { token } = await mcp.tokenFor(world.anna.id);
  const { stdout } = await promisify(execFile)(process.execPath, [
    'test/e2e/mcp/call-with-client.mjs',
    client,
    mcp.address,
    token,
    world.set.id,
  ]);
  return JSON.parse(stdout) as Seen;
}

describe('the official clients', () => {
  it.each([
    ['modern', '2026-07-28'],
    ['legacy', '2025-11-25'],
    ['v1', '2025-11-25'],
  ])('list the tools and call them: %s', async (client, version) => {
    const { tools, list, set, missing, ...seen } = await seenBy(client);
    expect(seen.version).toBe(version);
    expect(tools).toEqual(['list_price_requests', 'get_deal_set']);
    expect(list.structuredContent.data).toHaveLength(1);
    const { token } = await mcp.tokenFor(world.anna.id);
    const rest = await mcp.service.get(`/api/v1/deal-sets/${world.set.id}`, { token });
    expect(set.content[0]!.text).toBe(rest.text);
    expect(missing.isError).toBe(true);
  });
});

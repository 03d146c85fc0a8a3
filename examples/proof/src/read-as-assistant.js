import { setTimeout } from 'node:timers/promises';
import { DealSetsClient } from '@deal-sets/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const BEGINNING = '1970-01-01T00:00:00Z';
const WINDOW_MS = 60_000;

/** Reads everything that REST offers an assistant: the list, each page of changes, each deal set. */
export async function readOverRest(baseUrl, accessToken, fetch) {
  const client = new DealSetsClient({ baseUrl, accessToken: () => accessToken, fetch });
  await client.list();
  const { entries } = await client.readAll();
  for (const entry of entries) {
    if (entry.kind === 'deal_set') await client.get(entry.dealSetId);
  }
}

/** Reads everything that MCP offers an assistant: its tools, each page of changes, each deal set. */
export async function readOverMcp(url, accessToken, fetch) {
  const client = new Client({ name: 'deal-sets-proof', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${accessToken}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit }));
  await client.listTools();
  await callTool(client, 'list_price_requests', {});
  const ids = new Set();
  for (let since = BEGINNING, more = true; more;) {
    const page = await callTool(client, 'list_price_requests', { since });
    for (const { kind, dealSetId } of page.data) if (kind === 'deal_set') ids.add(dealSetId);
    more = page.more && page.asOf !== since;
    since = page.asOf;
  }
  for (const dealSetId of ids) {
    let next = {};
    while (next) ({ next } = await callTool(client, 'get_deal_set', { dealSetId, ...next }));
  }
  await client.close();
}

/** Calls a tool, and once more after the window of the rate limit if the limit was reached. */
async function callTool(client, name, input) {
  for (;;) {
    const { isError, content, structuredContent } = await client.callTool({
      name,
      arguments: input,
    });
    if (!isError) return structuredContent;
    const text = content.map((part) => part.text).join(' ');
    if (!text.includes('rate_limited')) throw new Error(`${name}: ${text}`);
    await setTimeout(WINDOW_MS);
  }
}

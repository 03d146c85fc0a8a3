/** Lists and calls the tools with one of the official clients, and prints what it saw as JSON. */
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import process from 'node:process';
import { URL } from 'node:url';

const [kind, address, token, dealSetId] = process.argv.slice(2);
const self = { name: 'test', version: '1.0.0' };
const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };

let client;
let transport;
if (kind === 'v1') {
  client = new Client1(self);
  transport = new Transport1(new URL(address), options);
} else {
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  client = new Client2(self, { versionNegotiation: { mode } });
  transport = new Transport2(new URL(address), options);
}
await client.connect(transport);
const { tools } = await client.listTools();
const call = (name, input) => client.callTool({ name, arguments: input });
const seen = {
  version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
  tools: tools.map(({ name }) => name),
  list: await call('list_price_requests', {}),
  set: await call('get_deal_set', { dealSetId }),
  missing: await call('get_deal_set', { dealSetId: 'none' }),
};
await client.close();
process.stdout.write(JSON.stringify(seen));

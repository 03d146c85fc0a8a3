/**
 * Runs one of the official clients with only the address of the MCP endpoint. Writes one line of
 * JSON per step: the address to open in a browser, the results of the tools, and the outcome of a
 * call after `again`. Reads one line per step: the address that the browser was redirected to, then
 * `again`.
 */
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { URL } from 'node:url';

const [kind, address, redirectUrl] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (step) => process.stdout.write(`${JSON.stringify(step)}\n`);
const read = async () => (await lines.next()).value;

const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: `Test ${kind}`,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => 'state-of-the-test',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  redirectToAuthorization: (url) => void (kept.authorize = url.href),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  discoveryState: () => kept.discovery,
  invalidateCredentials: (scope) =>
    void (scope === 'tokens' || scope === 'all' ? delete kept.tokens : 0),
  saveDiscoveryState: (state) => void (kept.discovery = state),
};

function newClient() {
  const self = { name: 'test', version: '1.0.0' };
  if (kind === 'v1') {
    return [new Client1(self), new Transport1(new URL(address), { authProvider })];
  }
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  return [
    new Client2(self, { versionNegotiation: { mode } }),
    new Transport2(new URL(address), { authProvider }),
  ];
}

let [client, transport] = newClient();
await client.connect(transport).catch((error) => {
  if (!kept.authorize) throw error;
});
say({ authorize: kept.authorize, clientId: kept.client?.client_id });
const back = new URL(await read()).searchParams;
if (kind === 'v1') await transport.finishAuth(back.get('code'));
else await transport.finishAuth(back);
[client, transport] = newClient();
await client.connect(transport);
const { tools } = await client.listTools();
const call = (name, input) => client.callTool({ name, arguments: input });
const list = await call('list_price_requests', {});
const { dealSetId } = list.structuredContent.data.find((entry) => entry.kind === 'deal_set');
say({
  version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
  toolNames: tools.map(({ name }) => name),
  dealSetId,
  set: await call('get_deal_set', { dealSetId }),
  missing: await call('get_deal_set', { dealSetId: 'none' }),
  tokens: kept.tokens,
});

await read();
delete kept.authorize;
const error = await call('list_price_requests', {}).then(
  () => undefined,
  (reason) => reason.constructor.name,
);
say({ error, asksAgain: kept.authorize !== undefined });
await client.close();
process.exit();

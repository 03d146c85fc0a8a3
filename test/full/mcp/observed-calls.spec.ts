import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { RequestObserver, type ObservedRequest } from '../../../src/index.js';
import { Metrics } from '../../../src/observability/metrics.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Credential } from '../../setup/test-service.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';

describe('what an assistant does', () => {
  const world = smallWorld();
  const spans = new InMemorySpanExporter();
  const tracing = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  });
  const observed: ObservedRequest[] = [];
  let database: TestDatabase;
  let mcp: McpService;
  let assistant: Credential;

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(tracing);
    database = await createTestDatabase();
    await load(database, world.records);
    const observe = (request: ObservedRequest): void => {
      if (request.route === '/mcp') observed.push(request);
    };
    mcp = await McpService.start({
      database,
      env: { READ_RATE_LIMIT: '3' },
      hostOptions: { providers: [{ provide: RequestObserver, useValue: { observe } }] },
    });
    assistant = await mcp.tokenFor(world.buyer.id);
  });
  afterAll(async () => {
    await mcp.stop();
    await database.drop();
    await tracing.shutdown();
  });

  const call = (name: string, input: object): Promise<unknown> =>
    mcp.request('tools/call', { name, arguments: input }, assistant);

  it('is in the log line, the metrics, the observer and the span, in closed sets', async () => {
    await mcp.request('tools/list', {}, assistant);
    await call('list_price_requests', {});
    await call('get_deal_set', { dealSetId: UNKNOWN });
    await call('list_price_requests', { since: 'yesterday' });
    await call('get_deal_set', { dealSetId: 7 });
    await call('steal_names', {});
    await mcp.request('tools/steal', {}, assistant);
    await call('list_price_requests', {});

    const list = { rpcMethod: 'tools/call', tool: 'list_price_requests' };
    const get = { rpcMethod: 'tools/call', tool: 'get_deal_set' };
    const expected = [
      { rpcMethod: 'tools/list' },
      list,
      { ...get, toolError: 'not_found' },
      { ...list, toolError: 'invalid_request' },
      { ...get, toolError: 'invalid_request' },
      { ...get, tool: 'other', toolError: 'invalid_request' },
      { rpcMethod: 'other' },
      { ...list, toolError: 'rate_limited' },
    ];
    const facts = (line: object): object =>
      Object.fromEntries(
        Object.entries(line).filter(
          ([name, value]) => /^(rpcMethod|tool|toolError)$/.test(name) && value !== undefined,
        ),
      );
    await eventually(() => expect(observed).toHaveLength(expected.length));
    expect(observed.map(({ mcpCall }) => facts(mcpCall!))).toEqual(expected);
    const lines = mcp.service.logLines
      .map((line) => JSON.parse(line) as { msg: string; route?: string })
      .filter(({ msg, route }) => msg === 'request' && route === '/mcp');
    expect(lines.map(facts)).toEqual(expected);

    const { values } = await mcp.service.app.get(Metrics, { strict: false }).mcpCalls.get();
    expect(values.map(({ labels, value }) => [...Object.values(labels), value])).toEqual([
      ['tools/list', 'none', 'none', 1],
      ['tools/call', 'list_price_requests', 'none', 1],
      ['tools/call', 'get_deal_set', 'not_found', 1],
      ['tools/call', 'list_price_requests', 'invalid_request', 1],
      ['tools/call', 'get_deal_set', 'invalid_request', 1],
      ['tools/call', 'other', 'invalid_request', 1],
      ['other', 'none', 'none', 1],
      ['tools/call', 'list_price_requests', 'rate_limited', 1],
    ]);

    const recorded = spans.getFinishedSpans().map(({ name, attributes, status }) => ({
      name,
      tool: attributes['gen_ai.tool.name'],
      error: attributes['error.type'],
      isError: status.code === SpanStatusCode.ERROR,
    }));
    const failed = { error: 'tool_error', isError: true };
    expect(recorded).toEqual([
      { name: 'tools/list', isError: false },
      { name: 'tools/call list_price_requests', tool: list.tool, isError: false },
      { name: 'tools/call get_deal_set', tool: get.tool, ...failed },
      { name: 'tools/call list_price_requests', tool: list.tool, ...failed },
      { name: 'tools/call get_deal_set', tool: get.tool, ...failed },
      { name: 'tools/call other', tool: 'other', ...failed },
      { name: 'other', isError: false },
      { name: 'tools/call list_price_requests', tool: list.tool, ...failed },
    ]);
    expect(JSON.stringify([lines, values, recorded])).not.toMatch(/steal|yesterday/);
  });
});

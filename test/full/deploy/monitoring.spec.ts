import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { describeWithPrometheus, PrometheusServer } from './prometheus-server.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { TestService } from '../../setup/test-service.js';

const PROJECT = path.resolve(__dirname, '../../..');
const RULES = path.join(PROJECT, 'deploy/prometheus-rules.yaml');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const dashboard = JSON.parse(
  readFileSync(path.join(PROJECT, 'deploy/grafana-dashboard.json'), 'utf8'),
) as Dashboard;
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

describeWithPrometheus('the files for Prometheus and Grafana', () => {
  const world = smallWorld();
  let database: TestDatabase;
  let mcp: McpService;
  let service: TestService;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    const managementPort = await freePort();
    mcp = await McpService.start({ database, env: { MANAGEMENT_PORT: String(managementPort) } });
    service = mcp.service;
    prometheus = await PrometheusServer.start(`127.0.0.1:${managementPort}`);
    await sendRequests();
  });
  afterAll(async () => {
    await prometheus.stop();
    await service.stop();
    await database.drop();
  });

  /** One request of each kind that a panel shows. */
  async function sendRequests(): Promise<void> {
    const assistant = await service.tokenFor(world.buyer.id);
    const poll = `${LIST}?since=1970-01-01T00:00:00Z`;
    for (const credential of [world.session, assistant]) {
      for (const target of [LIST, world.getPath, poll]) await service.get(target, credential);
    }
    await service.get(LIST, undefined);
    await mcp.tool('list_price_requests', {}, await mcp.tokenFor(world.buyer.id));
  }

  it.each(expressions)('shows the panel %s: %s', async (_title, expression) => {
    await eventually(async () => {
      // A rate needs a change between two scrapes.
      await sendRequests();
      const values = (await prometheus.query(expression)).map(({ value: [, value] }) => value);
      expect(values.filter((value) => value !== 'NaN')).not.toEqual([]);
    });
  });

  it('are a valid configuration together', () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'config', path.join(PROJECT, 'deploy/prometheus.yaml')],
      { encoding: 'utf8' },
    );
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });

  it('evaluates every alert without an error', async () => {
    await eventually(async () => {
      const rules = await prometheus.rules();
      expect(rules.length).toBeGreaterThan(0);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    });
  });

  it('names in the alerts only metrics that the service has', async () => {
    const names = readFileSync(RULES, 'utf8').match(/\b(deal_sets|nodejs)_[a-z0-9_]+/g)!;
    const known = await prometheus.metricNames();
    const isKnown = (name: string): boolean => known.includes(name.replace(/_(bucket|count)$/, ''));
    expect([...new Set(names)].filter((name) => !isKnown(name))).toEqual([]);
  });

  it('fires each alert only for its fault', () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['test', 'rules', path.join(__dirname, 'prometheus-rules.test.yaml')],
      { encoding: 'utf8' },
    );
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });
});

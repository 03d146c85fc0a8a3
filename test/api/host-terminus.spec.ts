import { Controller, Get, type DynamicModule } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { DealSetsModule, loadSettings } from '../../src/index.js';
import { DealSetsHealthIndicator } from '../../src/terminus.js';
import { startModuleHost, type ModuleHost } from '../setup/module-host.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly dealSets: DealSetsHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): ReturnType<HealthCheckService['check']> {
    return this.health.check([() => this.dealSets.isHealthy('deal-sets')]);
  }
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function healthWith(module: DynamicModule): Promise<readonly [status: number, body: object]> {
  const host: ModuleHost = await startModuleHost({
    imports: [module, TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [DealSetsHealthIndicator],
  });
  const { status, text } = await host.call('/health').finally(() => host.stop());
  return [status, JSON.parse(text) as object];
}

const settings = () => loadSettings({ DATABASE_URL: database.url, ...database.env });

describe('DealSetsHealthIndicator', () => {
  it('is up with its database', async () => {
    const [status, body] = await healthWith(DealSetsModule.forRoot({ settings: settings() }));
    expect([status, body]).toMatchObject([200, { details: { 'deal-sets': { status: 'up' } } }]);
  });

  it('is down, with the reason, when the database cannot be reached', async () => {
    const unreachable = loadSettings({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    const [status, body] = await healthWith(DealSetsModule.forRoot({ settings: unreachable }));
    const error = { 'deal-sets': { status: 'down', reason: 'database_unreachable' } };
    expect([status, body]).toMatchObject([503, { status: 'error', error }]);
  });
});

import { DealSetsModule } from '../../src/index.js';
import { eventually } from '../setup/eventually.js';
import { LIST } from '../setup/http-call.js';
import { startModuleHost } from '../setup/module-host.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('writes the lines of the module to the logger of the host application, which adds time and level', async () => {
  const lines: (readonly [method: string, line: unknown, context: unknown])[] = [];
  const write = (method: string) => (line: unknown, context: unknown) =>
    void lines.push([method, line, context]);
  const logger = { log: write('log'), warn: write('warn'), error: write('error') };
  const settings = { isProduction: false, database: { url: database.url } };
  const host = await startModuleHost({ imports: [DealSetsModule.forRoot({ settings })] }, (app) =>
    app.useLogger(logger),
  );
  try {
    await host.call(LIST);
    const own = () => lines.filter(([, , context]) => context === 'DealSetsModule');
    await eventually(() =>
      expect(own()).toEqual(
        expect.arrayContaining([
          ['log', expect.objectContaining({ msg: 'request', status: 401 }), 'DealSetsModule'],
          ['log', expect.objectContaining({ msg: 'endpoints' }), 'DealSetsModule'],
          ['log', expect.objectContaining({ msg: 'database' }), 'DealSetsModule'],
        ]),
      ),
    );
    for (const [, line] of own()) {
      expect(line).not.toHaveProperty('time');
      expect(line).not.toHaveProperty('level');
    }
  } finally {
    await host.stop();
  }
});

import { DEAL_SETS_ROUTES, DealSetsModule } from '../../../src/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { startModuleHost } from '../../setup/module-host.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

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

it.each<[what: string, exclude: readonly string[], moved: boolean]>([
  ['warns at the start that a prefix moves the paths of the contract', [], true],
  ['does not warn if they are excluded from the prefix', DEAL_SETS_ROUTES, false],
])('%s', async (_what, exclude, isMoved) => {
  const warnings: object[] = [];
  const warn = (line: object): void => void warnings.push(line);
  const logger = { log: () => undefined, warn, error: () => undefined };
  const settings = { isProduction: false, database: { url: database.url } };
  const host = await startModuleHost({ imports: [DealSetsModule.forRoot({ settings })] }, (app) => {
    app.useLogger(logger);
    app.setGlobalPrefix('shop', { exclude: [...exclude] });
  });
  try {
    expect((await host.call(LIST)).status).toBe(isMoved ? 404 : 401);
    expect((await host.call(`/shop${LIST}`)).status).toBe(isMoved ? 401 : 404);
    const moved = {
      msg: expect.stringContaining('DEAL_SETS_ROUTES') as string,
      prefix: 'shop',
    };
    const expected = expect.objectContaining(moved) as object;
    if (isMoved) expect(warnings).toContainEqual(expected);
    else expect(warnings).not.toContainEqual(expected);
  } finally {
    await host.stop();
  }
});

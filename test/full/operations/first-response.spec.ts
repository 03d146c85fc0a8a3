import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../../setup/run-command.js';
import { startProcess } from '../../setup/start-process.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { LIST } from '../../setup/http-call.js';

const BUYER = '00000000-0000-4000-8000-000000000001';

describe('the way from an empty database to the first response', () => {
  let database: TestDatabase;
  let cwd: string;
  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true });
    cwd = temporaryDirectory('first-response');
  });
  afterAll(async () => {
    await database.drop();
    rmSync(cwd, { recursive: true });
  });

  async function command(...args: string[]): Promise<string> {
    const env = { DATABASE_URL: database.url };
    const { exitCode, stdout, stderr } = await runCommand(args, { env, cwd });
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    return stdout.trim();
  }

  it('needs the commands, and an import file with a buyer alone', async () => {
    await command('migrate');
    writeFileSync(path.join(cwd, 'buyer.ndjson'), `{"record":"buyer","id":"${BUYER}"}\n`);
    await command('import', 'buyer.ndjson');
    await command('approve', '--buyer', BUYER, '--client', 'assistant-1');
    const cookie = await command('session', '--buyer', BUYER);
    const service = await startProcess({ DATABASE_URL: database.url }, 'ready', cwd);
    const token = await command('token', '--buyer', BUYER, '--client', 'assistant-1');
    const call = async (headers: Record<string, string>): Promise<unknown[]> => {
      const response = await fetch(`http://127.0.0.1:${service.port}${LIST}`, { headers });
      return [response.status, await response.json()];
    };
    const responses = [
      await call({ authorization: `Bearer ${token}` }),
      await call({ cookie: cookie.replace('Cookie: ', '') }),
    ];
    await service.stop();
    const empty = [200, { data: [] }];
    expect(responses).toEqual([empty, empty]);
  });
});

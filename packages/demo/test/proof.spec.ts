import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { AuthorizationServer } from '../src/authorization/authorization-server.js';
import { DEMO_BUYER_ID, DEMO_CLIENTS } from '../src/demo-world/demo-people.js';
import { DemoService } from './demo-service.js';

const SOURCES = path.resolve(__dirname, '../../../examples/proof/src');

let service: DemoService;
let folder: string;
beforeAll(async () => {
  service = await DemoService.start();
  folder = mkdtempSync(path.join(tmpdir(), 'proof-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

/** Makes both files as the README of the example does, and runs the script. */
async function prove(): Promise<{ exitCode: number; output: string }> {
  // psql, which the README uses, replaces the variable.
  const sql = readFileSync(path.join(SOURCES, 'buyers.sql'), 'utf8').replace(':buyers', '100');
  const rows = await service.database.query<{ json_build_object: object }>(sql);
  const server = service.demo.service.app.get(AuthorizationServer, { strict: false });
  const token = await server.issueToken({
    buyerId: DEMO_BUYER_ID,
    clientId: DEMO_CLIENTS.approved,
    scope: 'offers:read',
    ttlSeconds: 600,
  });
  const files = { buyers: path.join(folder, 'buyers'), tokens: path.join(folder, 'tokens') };
  const lines = rows.map((row) => JSON.stringify(row.json_build_object));
  writeFileSync(files.buyers, lines.join('\n'));
  writeFileSync(files.tokens, `${DEMO_BUYER_ID} ${token}\n`);
  const options = ['--url', service.url, '--buyers', files.buyers, '--tokens', files.tokens];
  const script = path.join(SOURCES, 'prove.js');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...options],
      { env: childEnvironment() },
      (error, stdout, stderr) =>
        resolve({ exitCode: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

const rename = (from: string, to: string) =>
  service.database.query('UPDATE deal_sets.dealership SET name = $2 WHERE name = $1', [from, to]);

describe('the proof on one’s own data', () => {
  it('finds nothing in the demo’s world, and lists the names that it did not search', async () => {
    await rename('Bexley Honda', 'Bex');
    await rename('Lakeside Honda', 'Honda');
    const { exitCode, output } = await prove();
    await rename('Bex', 'Bexley Honda');
    await rename('Honda', 'Lakeside Honda');
    expect(output).toMatch(/^0 of \d\d responses\nRead 1 of 2 buyers\.\nNames not searched:\n/);
    expect(output).toContain('  Bex (shorter than 4 letters)');
    expect(output).toContain('  Honda (the make or the model of a requested car)');
    expect(exitCode).toBe(0);
  });

  it('finds the name of another dealership of the buyer in a trim, over REST and MCP', async () => {
    // A listing is compared with the name of its own dealership only.
    await service.database.query(
      `UPDATE deal_sets.price_check SET listing_trim = 'EX-L by CARROW auto-group'
       WHERE buyer_id = $1 AND dealership_id =
         (SELECT id FROM deal_sets.dealership WHERE name = 'Lakeside Honda')`,
      [DEMO_BUYER_ID],
    );
    const { exitCode, output } = await prove();
    const found = (at: string): string => `buyer ${DEMO_BUYER_ID}, ${at}: Carrow Auto Group`;
    expect(output).toContain(found('/api/v1/deal-sets/5e000000-0000-4000-8000-000000000001'));
    expect(output).toContain(found('/mcp'));
    expect(exitCode).toBe(1);
  });
});

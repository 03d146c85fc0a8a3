import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { runCommand, runInProcess, type CommandOutcome } from '../../../test/setup/run-command.js';
import { temporaryDirectory } from '../../../test/setup/test-cluster.js';
import { DEMO_BUYER_ID as ANNA, OTHER_BUYER_ID as BEA } from '../src/demo-world/demo-people.js';
import { DemoProcess } from './demo-process.js';
import { CookieClient } from './demo-service.js';

const IMPORT_FORMAT = path.resolve(__dirname, '../../../docs/import-format.md');

describe('after the documented commands on its database, the demo', () => {
  const directory = temporaryDirectory('demo-commands');
  chmodSync(directory, 0o755);
  let demo: DemoProcess;
  beforeAll(async () => {
    demo = await DemoProcess.start(directory);
  });
  afterAll(async () => {
    if (demo.child.exitCode === null) await demo.interrupt('SIGTERM');
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  });

  const command = async (...args: string[]): Promise<CommandOutcome> => {
    const outcome = await runInProcess(args, { env: { DATABASE_URL: demo.databaseUrl } });
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, expect.any(String)]);
    return outcome;
  };
  const signIn = async (buyer: string): Promise<CookieClient> => {
    const client = new CookieClient(demo.url);
    expect((await client.signIn(buyer, '/')).status).toBe(200);
    return client;
  };
  const entriesOf = async (client: CookieClient): Promise<ListEntry[]> =>
    (JSON.parse((await client.get('/api/v1/deal-sets')).text) as { data: ListEntry[] }).data;
  const startOver = async (client: CookieClient): Promise<unknown> =>
    JSON.parse((await client.post('/page/actions/restore', {})).text);
  const tokenOf = async (client: CookieClient): Promise<string | null> =>
    (
      JSON.parse((await client.get('/page/state')).text) as {
        assistant: { accessToken: string | null };
      }
    ).assistant.accessToken;

  it('signs in a buyer who was erased, with the buyer’s requests', async () => {
    const before = await signIn(BEA);
    // This adds a question for Bea, which must not prevent Anna's "Start over".
    const outbackId = '5e000000-0000-4000-8000-000000000004';
    await before.post('/page/actions/reply', { dealSetId: outbackId });
    await command('erase', '--buyer', BEA, '--yes');
    const anna = await signIn(ANNA);
    expect(await startOver(anna)).toMatchObject({ isDone: true });
    const bea = await signIn(BEA);
    expect(await entriesOf(bea)).toHaveLength(1);
  });

  it('restores a revoked approval, after an export and its import', async () => {
    await command('revoke', '--buyer', ANNA, '--client', 'road-helper');
    // In a process of its own, because the pipe to standard output waits for its real state.
    const env = { DATABASE_URL: demo.databaseUrl };
    const { exitCode, stdout } = await runCommand(['export'], { env });
    expect(exitCode).toBe(0);
    const file = path.join(directory, 'export.ndjson');
    writeFileSync(file, stdout);
    await command('import', file);
    const anna = await signIn(ANNA);
    expect(await tokenOf(anna)).toBeNull();
    expect(await startOver(anna)).toMatchObject({ isDone: true });
    expect(await tokenOf(anna)).not.toBeNull();
  });

  it('shows one more request after the example of the import format', async () => {
    const anna = await signIn(ANNA);
    const before = await entriesOf(anna);
    const example = /```\n(\{"record"[^`]+)```/.exec(readFileSync(IMPORT_FORMAT, 'utf8'))![1]!;
    const file = path.join(directory, 'example.ndjson');
    writeFileSync(file, example);
    const { stderr } = await command('import', file);
    expect(stderr).toMatch(/1 deal set: 1 new, 0 changed/);
    const after = await entriesOf(anna);
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  it('returns requests to their buyer when their ids were imported for another', async () => {
    await command('erase', '--buyer', ANNA, '--yes');
    const other = 'b0000000-0000-4000-8000-000000000009';
    const file = path.join(directory, 'other.ndjson');
    const dealSet = {
      record: 'dealSet',
      id: '5e000000-0000-4000-8000-000000000001',
      buyerId: other,
      car: { year: 2026, make: 'Kia', model: 'Niro' },
      createdAt: '2026-03-01T09:00:00Z',
    };
    const records = [{ record: 'buyer', id: other }, dealSet];
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    await command('import', file);
    const anna = await signIn(ANNA);
    const makes = (await entriesOf(anna)).map(({ car }) => car.make);
    expect(makes).toContain('Honda');
    expect(makes).not.toContain('Kia');
  });

  it('starts again with both buyers erased', async () => {
    for (const buyer of [ANNA, BEA]) await command('erase', '--buyer', buyer, '--yes');
    await demo.interrupt('SIGTERM');
    demo = await DemoProcess.start(directory);
    expect((await demo.list()).status).toBe(200);
    expect(await entriesOf(await signIn(BEA))).toHaveLength(1);
  });

  it('sends errors to a browser as pages with a link back, and logs the reason for a failure', async () => {
    const client = new CookieClient(demo.url);
    expect(await client.get('/no-such-page')).toMatchObject({
      status: 404,
      text: expect.stringMatching(/<h1>Page not found<\/h1>[\s\S]*<a href="\/">/) as string,
    });
    const program = await fetch(`${demo.url}/no-such-page`);
    expect(await program.json()).toMatchObject({ error: { code: 'not_found' } });
    expect(await client.post('/sign-in', { buyer: 'nobody' })).toMatchObject({ status: 400 });
    const elsewhere = { origin: 'https://evil.example' };
    const refused = await client.post('/sign-in', { buyer: ANNA }, elsewhere);
    expect([refused.status, refused.text.includes('<h1>')]).toEqual([403, true]);

    const database = new Client({ connectionString: demo.databaseUrl });
    await database.connect();
    try {
      await database.query('ALTER TABLE deal_sets.buyer_session RENAME TO moved');
      const failed = await client.signIn(ANNA);
      expect([failed.status, failed.headers['content-type']]).toEqual([
        500,
        'text/html; charset=utf-8',
      ]);
      expect(failed.text).toContain('terminal shows the reason');
    } finally {
      await database.query('ALTER TABLE deal_sets.moved RENAME TO buyer_session');
      await database.end();
    }
    await demo.interrupt('SIGTERM');
    expect(demo.output).toMatch(/"reason":"[^"]+","msg":"demo page failed"/);
  });
});

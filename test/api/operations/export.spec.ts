import { once } from 'node:events';
import { worldText } from '../../../packages/demo/src/world/world-generator.js';
import { worldBuyerId, worldCookie } from '../../../packages/demo/src/world/generate-buyer.js';
import { WORLD_DEFAULTS } from '../../../packages/demo/src/world/world-options.js';
import { runCommand, startCommand, type CommandOutcome } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const SEED = 'export';
const LIST = '/api/v1/deal-sets';
const BUYERS = [0, 1, 2].map((n) => worldBuyerId(SEED, n));
const [ANNA = '', BEN = '', ERASED = ''] = BUYERS;

describe('an export', () => {
  let from: TestDatabase;
  let to: TestDatabase;
  let exported: CommandOutcome;
  const run = (args: readonly string[], database: TestDatabase, input = '') =>
    runCommand(args, { env: { DATABASE_URL: database.url }, input });

  beforeAll(async () => {
    [from, to] = [await createTestDatabase(), await createTestDatabase()];
    const world = [...worldText({ ...WORLD_DEFAULTS, seed: SEED, buyers: 3 })].join('');
    expect(await run(['import', '--backfill', '-'], from, world)).toMatchObject({ exitCode: 0 });
    // As it goes on in use: live changes, a request without a known time, a revocation, an erasure.
    await from.query(`UPDATE buyer SET changes_granted = true`);
    await from.query(
      `UPDATE price_check SET otd_cents = 4242424, written_at = now() WHERE buyer_id = $1 AND deal_set_id IS NULL`,
      [ANNA],
    );
    await from.query(
      `INSERT INTO reply (buyer_id, id, price_check_id, received_at)
       SELECT buyer_id, gen_random_uuid(), id, '2026-01-01Z' FROM price_check WHERE buyer_id = $1 LIMIT 5`,
      [ANNA],
    );
    await from.query(
      `UPDATE request_feed SET is_time_known = false WHERE buyer_id = $1 AND request_id IN
         (SELECT request_id FROM request_feed WHERE buyer_id = $1 ORDER BY feed_at LIMIT 2)`,
      [ANNA],
    );
    await run(['revoke', '--buyer', BEN, '--client', 'world-assistant'], from);
    await run(['erase', '--yes', '--buyer', ERASED], from);
    exported = await run(['export'], from);
    expect(await run(['import', '--backfill', '-'], to, exported.stdout)).toMatchObject({
      exitCode: 0,
    });
  });
  afterAll(async () => {
    await from.drop();
    await to.drop();
  });

  it('of everything, imported elsewhere, gives every client the same responses', async () => {
    const services = await Promise.all(
      [from, to].map((database) => TestService.start({ database })),
    );
    const seen = async (service: TestService): Promise<unknown[]> => {
      const bodies: unknown[] = [];
      for (const [n, buyerId] of [ANNA, BEN].entries()) {
        const credentials: Credential[] = [
          { cookie: worldCookie(SEED, n) },
          await service.tokenFor(buyerId, { client_id: 'world-assistant' }),
        ];
        const sets = await from.query<{ id: string }>(
          'SELECT id FROM deal_set WHERE buyer_id = $1 ORDER BY id',
          [buyerId],
        );
        for (const credential of credentials) {
          const polls = ['1970-01-01T00:00:00Z', '2026-06-01T00:00:00Z', new Date(0).toISOString()];
          for (const target of [
            LIST,
            ...polls.map((since) => `${LIST}?since=${since}`),
            ...sets.map(({ id }) => `${LIST}/${id}`),
          ]) {
            const { status, text } = await service.get(target, credential);
            bodies.push([target, status, text]);
          }
        }
      }
      return bodies;
    };
    try {
      const [one, other] = await Promise.all(services.map(seen));
      expect(other).toEqual(one);
      expect(one!.length).toBeGreaterThan(20);
      expect(JSON.stringify(one)).toContain('4242424');
    } finally {
      for (const service of services) await service.stop();
    }
  });

  it('keeps who was erased, and holds each table as it was', async () => {
    const columns = {
      erased_buyer: '*',
      buyer: '*',
      dealership: '*',
      buyer_session: '*',
      assistant_grant: '*',
      deal_set: '*',
      price_check: '*',
      question: '*',
      draft: '*',
      reply: '*',
      request_feed: 't.buyer_id, t.request_id, t.kind, t.feed_at, t.is_time_known, t.open_items',
    };
    for (const [table, names] of Object.entries(columns)) {
      const rows = (database: TestDatabase) =>
        database.query(`SELECT ${names} FROM ${table} t ORDER BY t::text`);
      expect([table, await rows(to)]).toEqual([table, await rows(from)]);
    }
    expect(exported.stdout.match(/"record":"erasedBuyer"/g)).toHaveLength(1);
  });

  it('that was cut off, or names a stored buyer as erased, is refused whole', async () => {
    const cut = exported.stdout.trim().split('\n').slice(0, -1).join('\n');
    const other = await createTestDatabase();
    expect((await run(['import', '--backfill', '-'], other, cut)).stderr).toMatch(
      /^line \d+: must be followed by the closing record of the export; the file is cut off\n/,
    );
    const [buyer] = await to.query<{ sha: string }>(
      `SELECT encode(sha256(id::text::bytea), 'hex') AS sha FROM buyer WHERE id = $1`,
      [ANNA],
    );
    const file = `{"record":"erasedBuyer","idSha256":"${buyer!.sha}"}\n{"record":"end","records":1}\n`;
    expect((await run(['import', '-'], to, file)).stderr).toMatch(
      /^line 1: erasedBuyer.idSha256: is of a buyer who is stored here: run `deal-sets erase`/,
    );
    await other.drop();
  });

  it('ends without a complaint when its reader has enough', async () => {
    const child = startCommand(['export'], { env: { DATABASE_URL: from.url } });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('of one buyer holds her records and no other’s', async () => {
    const { exitCode, stdout } = await run(['export', '--buyer', ANNA], from);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(ANNA);
    expect(stdout).not.toContain(BEN);
    expect(stdout).not.toContain('erasedBuyer');
    const last = JSON.parse(stdout.trim().split('\n').at(-1)!) as { records: number };
    expect(last.records).toBe(stdout.trim().split('\n').length - 1);
    expect(await run(['export', '--buyer', ERASED], from)).toMatchObject({
      exitCode: 1,
      stderr: `There is no buyer ${ERASED}: check the id.\n`,
    });
  });
});

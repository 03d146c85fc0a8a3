import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { worldText } from '../../world/world-generator.js';
import { worldBuyerId, worldCookie } from '../../world/generate-buyer.js';
import { WORLD_DEFAULTS } from '../../world/world-options.js';
import { load } from '../../builders/index.js';
import { runCommand, runInProcess, startCommand } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const SEED = '8';
const LIST = '/api/v1/deal-sets';
const BUYERS = [0, 1, 2].map((n) => worldBuyerId(SEED, n));
const [ANNA = '', BEN = '', ERASED = ''] = BUYERS;

/** Everything that an export writes to standard error. */
const AUDIT_LINE = expect.stringMatching(/^\{.*"msg":"audit"\}\n$/) as string;

describe('an export', () => {
  let from: TestDatabase;
  let to: TestDatabase;
  let exported: string;
  const envOf = ({ url }: TestDatabase) => ({ env: { DATABASE_URL: url } });
  const exportOf = async (...flags: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCommand(['export', ...flags], envOf(from));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: AUDIT_LINE });
    return stdout;
  };

  beforeAll(async () => {
    [from, to] = [await createTestDatabase(), await createTestDatabase()];
    const world = [...worldText({ ...WORLD_DEFAULTS, seed: SEED, buyers: 3 })].join('');
    await load(from, world, { isBackfill: true });
    // A database in use: live changes, a request without a known time, a revocation, an erasure.
    await from.query(`UPDATE deal_sets.buyer SET changes_granted = true`);
    await from.query(
      `UPDATE deal_sets.price_check SET otd_cents = 4242424, written_at = now() WHERE buyer_id = $1 AND deal_set_id IS NULL`,
      [ANNA],
    );
    await from.query(
      `INSERT INTO deal_sets.reply (buyer_id, id, price_check_id)
       SELECT buyer_id, gen_random_uuid(), id FROM deal_sets.price_check WHERE buyer_id = $1 LIMIT 5`,
      [ANNA],
    );
    await from.query(
      `UPDATE deal_sets.request_feed SET is_time_known = false WHERE buyer_id = $1 AND request_id IN
         (SELECT request_id FROM deal_sets.request_feed WHERE buyer_id = $1 ORDER BY feed_at LIMIT 2)`,
      [ANNA],
    );
    await runInProcess(['revoke', '--buyer', BEN, '--client', 'world-assistant'], envOf(from));
    await runInProcess(['erase', '--yes', '--buyer', ERASED], envOf(from));
    exported = await exportOf();
    await load(to, exported, { isBackfill: true });
  });
  afterAll(async () => {
    await from.drop();
    await to.drop();
  });

  it('gives every client the same responses when it is imported elsewhere', async () => {
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
          'SELECT id FROM deal_sets.deal_set WHERE buyer_id = $1 ORDER BY id',
          [buyerId],
        );
        for (const credential of credentials) {
          const polls = ['1970-01-01T00:00:00Z', '2026-06-01T00:00:00Z'];
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
      const [first, second] = await Promise.all(services.map(seen));
      expect(second).toEqual(first);
      expect(first!.length).toBeGreaterThan(20);
      expect(JSON.stringify(first)).toContain('4242424');
    } finally {
      for (const service of services) await service.stop();
    }
  });

  it('keeps who was erased, and keeps each table unchanged', async () => {
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
      request_feed: 't.buyer_id, t.request_id, t.kind, t.feed_at, t.is_time_known, t.needs_you',
    };
    for (const [table, names] of Object.entries(columns)) {
      const rows = (database: TestDatabase) =>
        database.query(`SELECT ${names} FROM deal_sets.${table} t ORDER BY t::text`);
      expect([table, await rows(to)]).toEqual([table, await rows(from)]);
    }
    expect(exported.match(/"record":"erasedBuyer"/g)).toHaveLength(1);
  });

  it('is rejected whole when it was cut off, or names a stored buyer as erased', async () => {
    const cut = exported.trim().split('\n').slice(0, -1).join('\n');
    const other = await createTestDatabase();
    await expect(load(other, cut, { isBackfill: true })).rejects.toThrow(
      /^line \d+: must be followed by the closing record, .*; the file may be incomplete$/,
    );
    await other.drop();
    const idSha256 = createHash('sha256').update(ANNA).digest('hex');
    const erased = { record: 'erasedBuyer', idSha256 };
    await expect(load(to, [erased, { record: 'end', records: 1 }])).rejects.toThrow(
      /^line 1: erasedBuyer.idSha256: belongs to a buyer who is stored here: run `deal-sets erase`/,
    );
  });

  it('ends without an error when its reader stops early', async () => {
    const child = startCommand(['export'], envOf(from));
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: AUDIT_LINE });
  });

  it('holds, for one buyer, that buyer’s records and no others', async () => {
    const lines = (await exportOf('--buyer', ANNA)).trim().split('\n');
    const text = lines.join('\n');
    expect(text).toContain(ANNA);
    expect(text).not.toContain(BEN);
    expect(text).not.toContain('erasedBuyer');
    expect(JSON.parse(lines.at(-1)!)).toEqual({ record: 'end', records: lines.length - 1 });
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load, priceCheck } from '../../builders/index.js';
import { childEnvironment } from '../../setup/child-environment.js';
import { describeWith, findProgram } from '../../setup/describe-with.js';
import { FeedWorld, setPrice } from '../../setup/feed-world.js';

const SCRIPT = join(__dirname, '../../../examples/python/poll.py');
const PYTHON = findProgram('python3');
/** Enough requests for two pages of the feed. */
const REQUESTS = 120;

describeWith(PYTHON, 'python3', 'the example in Python', () => {
  let world: FeedWorld;
  let folder: string;
  let ids: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'python-example-'));
    // The second page is over the limit, so the script has to wait for it.
    const env = { READ_RATE_LIMIT: '1', READ_RATE_WINDOW_SECONDS: '4' };
    world = await FeedWorld.start({ buyers: 1, env });
    const records = Array.from({ length: REQUESTS }, (_, minute) =>
      priceCheck({
        buyerId: world.buyer.id,
        dealershipId: world.dealership.id,
        latestActivityAt: new Date(Date.UTC(2026, 1, 2, 0, minute)).toISOString(),
      }),
    );
    ids = records.map(({ id }) => id);
    await load(world.database, records, { isBackfill: true });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await world.stop();
  });

  /** Runs the script until nothing more has changed, and returns the lines that it printed. */
  async function run(): Promise<string[]> {
    const { token } = world.buyer.assistant;
    const { stdout } = await promisify(execFile)(PYTHON!, [SCRIPT, '--once'], {
      cwd: folder,
      env: childEnvironment({ DEAL_SETS_URL: world.service.url, DEAL_SETS_TOKEN: token }),
    });
    return stdout.trim().split('\n');
  }

  const idsOf = (lines: readonly string[]): (string | undefined)[] =>
    lines.filter((line) => line.startsWith('single ')).map((line) => line.split(' ')[1]);

  it('reads every page, waits as long as Retry-After requires, and continues from its watermark', async () => {
    const first = await run();
    expect(idsOf(first)).toEqual(ids);
    expect(first.filter((line) => /^waiting \d+ s$/.test(line))).toHaveLength(1);
    expect(await readFile(join(folder, 'watermark.txt'), 'utf8')).toMatch(/^\d{4}-.*Z$/);

    const [changed = ''] = ids;
    await world.database.query(setPrice(changed, 3_123_400));
    const second = await run();
    expect(second.filter((line) => line.startsWith('single '))).toEqual([
      `single ${changed} in_progress $31,234.00`,
    ]);
  });
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { worldBuyerId, worldCookie } from '../packages/demo/src/world/generate-buyer.js';
import { seededUuid } from '../packages/demo/src/world/seeded-random.js';
import { worldText } from '../packages/demo/src/world/world-generator.js';
import type { WorldOptions } from '../packages/demo/src/world/world-options.js';
import { EmbeddedPostgres } from '../packages/embedded-postgres/src/embedded-postgres.js';

export type GroupName = 'everyday' | 'no-history' | 'long-history' | 'small-sets' | 'large-sets';
export type Groups = Readonly<Record<GroupName, WorldOptions>>;

/** An everyday buyer's lists are full: 12 active deal sets of 25 rows, 25 active single requests. */
const EVERYDAY = { sets: 12, rows: 25, singles: 25, ended: 2 };
const EVERYDAY_PRICE_CHECKS = 12 * 25 + 25 + 25 + 1;
/** As many as the United States have: a plan that scans them all shows. */
const DEALERSHIPS = 18_000;
/** Speeds the load alone; else the settings are PostgreSQL's own. */
const LOAD_SETTINGS = { max_wal_size: '8GB' };

/** Everyday buyers to make up the size, and two of each special kind, with 33,000 price checks more. */
function groupsOf(priceChecks: number): Groups {
  const few = (name: string, other: object): WorldOptions => ({
    ...EVERYDAY,
    seed: `bench ${name}`,
    buyers: 2,
    ...other,
  });
  return {
    everyday: few('everyday', { buyers: Math.ceil(priceChecks / EVERYDAY_PRICE_CHECKS) }),
    'no-history': few('no-history', { ended: 0 }),
    'long-history': few('long-history', { ended: 1000 }),
    'small-sets': few('small-sets', { singles: 0, ended: 0 }),
    'large-sets': few('large-sets', { rows: 200, singles: 0, ended: 0 }),
  };
}

/** What a request of a buyer needs to be made. */
export interface BenchBuyer {
  readonly id: string;
  readonly cookie: string;
  readonly setIds: readonly string[];
  /** A request to one dealership, where she has any: no deal set. */
  readonly singleId: string;
}

/** Up to `count` buyers of a group, spread over all of it. */
export function someBuyers({ seed, buyers, sets }: WorldOptions, count: number): BenchBuyer[] {
  const wanted = Math.min(count, buyers);
  return Array.from({ length: wanted }, (_, place) => {
    const index = Math.floor((place * buyers) / wanted);
    return {
      id: worldBuyerId(seed, index),
      cookie: worldCookie(seed, index),
      setIds: Array.from({ length: sets }, (__, set) =>
        seededUuid(seed, `buyer ${index} set ${set}`),
      ),
      singleId: seededUuid(seed, `buyer ${index} single 0`),
    };
  });
}

/** A PostgreSQL of the bench's own with its world in it. */
export interface BenchDatabase {
  readonly url: string;
  /** Process id of the PostgreSQL server; its backends are its children. */
  readonly serverPid: number;
  readonly groups: Groups;
  stop(): Promise<void>;
}

/**
 * Starts an embedded PostgreSQL, migrates it and loads the world by the import.
 *
 * @param keepsWorld leaves the data under `bench-results/`, and uses a complete world that is there.
 */
export async function openBenchDatabase(
  priceChecks: number,
  keepsWorld: boolean,
  say: (text: string) => void,
): Promise<BenchDatabase> {
  const groups = groupsOf(priceChecks);
  const directory = keepsWorld
    ? path.resolve('bench-results', `world-${priceChecks}`)
    : mkdtempSync(path.join(tmpdir(), 'deal-sets-bench-'));
  const settings = LOAD_SETTINGS;
  const postgres = await EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true, settings });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    if (!keepsWorld) rmSync(directory, { recursive: true, force: true });
  };
  const env = { ...process.env, DATABASE_URL: postgres.url };
  try {
    await promisify(execFile)(process.execPath, ['dist/cli.js', 'migrate'], { env });
    // Written after the load: a world that was loaded in part is loaded again, which changes nothing twice.
    const marker = path.join(directory, 'world.json');
    const world = JSON.stringify(groups);
    if (!existsSync(marker) || readFileSync(marker, 'utf8') !== world) {
      for (const [name, options] of Object.entries(groups)) {
        say(`loading: ${name}`);
        await load(options, env);
      }
      await settle(postgres.url);
      writeFileSync(marker, world);
    }
    const pidFile = path.join(postgres.dataDirectory, 'postmaster.pid');
    const serverPid = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
    return { url: postgres.url, serverPid, groups, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function load(options: WorldOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const command = spawn(process.execPath, ['dist/cli.js', 'import', '--backfill', '-'], {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(command, 'close');
  await pipeline(Readable.from(worldText(options)), command.stdin);
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error('the import failed');
}

/** What the load wrote must not be written out while something is measured. */
async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO dealership (id, name) SELECT gen_random_uuid(), 'Dealership ' || n FROM generate_series(1, ${DEALERSHIPS}) n`,
  );
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { worldText } from '../test/world/world-generator.js';
import type { WorldOptions } from '../test/world/world-options.js';
import { EmbeddedPostgres } from '../packages/embedded-postgres/src/embedded-postgres.js';

/** The groups of buyers in the bench's world. */
export type GroupName = 'everyday' | 'long-history' | 'large-sets';
/** How the buyers of each group are generated. */
export type Groups = Readonly<Record<GroupName, WorldOptions>>;

/**
 * The requests of an everyday buyer, whose list is full: 12 active deal sets of 25 rows and 25
 * active single requests.
 */
const EVERYDAY = { sets: 12, rows: 25, singles: 25, ended: 2 };
const EVERYDAY_PRICE_CHECKS = 12 * 25 + 25 + 25 + 1;
/**
 * The approximate number of franchised dealerships in the United States. With this many, a
 * plan that scans them all is noticed.
 */
const DEALERSHIPS = 18_000;
/** Settings that only speed up the load. All other settings are PostgreSQL's defaults. */
const settings = { max_wal_size: '8GB' };

/**
 * Returns the groups of buyers: as many everyday buyers as the wanted size requires, and two buyers
 * in each special group. The special groups add about 31,000 price checks.
 */
function groupsOf(priceChecks: number): Groups {
  const few = (name: string, other: object): WorldOptions => ({
    ...EVERYDAY,
    seed: `bench ${name}`,
    buyers: 2,
    ...other,
  });
  return {
    everyday: few('everyday', { buyers: Math.ceil(priceChecks / EVERYDAY_PRICE_CHECKS) }),
    'long-history': few('long-history', { ended: 1000 }),
    'large-sets': few('large-sets', { rows: 200, singles: 0, ended: 0 }),
  };
}

/**
 * Starts an embedded PostgreSQL for the bench, migrates it and loads the world with the import.
 *
 * @param priceChecks the number of price checks of everyday buyers.
 * @returns the database. `serverPid` is the process id of the PostgreSQL server, whose backends are
 *   its child processes.
 */
export async function openBenchDatabase(priceChecks: number, say: (text: string) => void) {
  const groups = groupsOf(priceChecks);
  const directory = mkdtempSync(path.join(tmpdir(), 'deal-sets-bench-'));
  const postgres = await EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true, settings });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const env = { ...process.env, DATABASE_URL: postgres.url };
  try {
    await promisify(execFile)(process.execPath, ['dist/cli.js', 'migrate'], { env });
    for (const [name, options] of Object.entries(groups)) {
      say(`loading: ${name}`);
      await load(options, env);
    }
    await settle(postgres.url);
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

/**
 * Adds dealerships, analyzes all tables, and writes everything to disk, so that this does not
 * happen during a measurement.
 */
async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO deal_sets.dealership (id, name) SELECT gen_random_uuid(), 'Dealership ' || n FROM generate_series(1, ${DEALERSHIPS}) n`,
  );
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SingleBar, Presets } from 'cli-progress';
import { EmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.js';
import { runNode } from '../servers/run-node.js';
import { benchWorld, DEALERSHIPS, type BuyerGroup } from './bench-world.js';
import { bulkLoad } from './bulk-load.js';

/** A PostgreSQL of the bench's own with its world in it. */
export interface BenchDatabase {
  readonly url: string;
  /** Process id of the PostgreSQL server; its backends are its children. */
  readonly serverPid: number;
  readonly groups: readonly BuyerGroup[];
  stop(): Promise<void>;
}

/** Settings are PostgreSQL's own, as the embedded server is shipped; these speed the load alone. */
const LOAD_SETTINGS = { max_wal_size: '8GB' };

/**
 * Starts an embedded PostgreSQL, migrates it and loads the world.
 *
 * @param isKept leaves the data under `bench-results/`, and uses a complete world that is there.
 */
export async function openBenchDatabase(
  priceChecks: number,
  isKept: boolean,
): Promise<BenchDatabase> {
  const groups = benchWorld(priceChecks);
  const directory = isKept
    ? path.resolve('bench-results', `world-${priceChecks}`)
    : mkdtempSync(path.join(tmpdir(), 'deal-sets-bench-'));
  const postgres = await EmbeddedPostgres.attachOrStart({
    directory,
    isThrowAway: true,
    settings: LOAD_SETTINGS,
  });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    if (!isKept) rmSync(directory, { recursive: true, force: true });
  };
  try {
    await migrate(postgres.url);
    const marker = path.join(directory, 'world.json');
    const world = JSON.stringify(groups);
    if (readIfThere(marker) !== world) {
      await load(postgres.url, groups);
      writeFileSync(marker, world);
    }
    return { url: postgres.url, serverPid: pidOf(postgres.dataDirectory), groups, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function migrate(url: string): Promise<void> {
  await runNode(['dist/cli.js', 'migrate'], { DATABASE_URL: url });
}

async function load(url: string, groups: readonly BuyerGroup[]): Promise<void> {
  const bar = new SingleBar(
    {
      format:
        'loading {bar} {percentage}% | {value} of {total} price checks | {duration_formatted}',
      noTTYOutput: true,
      notTTYSchedule: 5_000,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  bar.start(1, 0);
  await bulkLoad(url, { groups, dealerships: DEALERSHIPS, threads: 2 }, (done, total) => {
    bar.setTotal(total);
    bar.update(done);
  });
  bar.stop();
}

function pidOf(dataDirectory: string): number {
  return Number(readFileSync(path.join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

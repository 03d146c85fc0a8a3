import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { benchWorld, DEALERSHIPS, type BuyerGroup } from './bench-world.js';
import { loadWorld } from './load-world.js';

/** A PostgreSQL of the bench's own with its world in it. */
export interface BenchDatabase {
  readonly url: string;
  /** Process id of the PostgreSQL server; its backends are its children. */
  readonly serverPid: number;
  readonly groups: readonly BuyerGroup[];
  stop(): Promise<void>;
}

/** Settings are PostgreSQL's own, as the embedded server is shipped; this one speeds the load alone. */
const LOAD_SETTINGS = { max_wal_size: '8GB' };

/**
 * Starts an embedded PostgreSQL, migrates it and loads the world.
 *
 * @param keepsWorld leaves the data under `bench-results/`, and uses a complete world that is there.
 */
export async function openBenchDatabase(
  priceChecks: number,
  keepsWorld: boolean,
  say: (text: string) => void,
): Promise<BenchDatabase> {
  const groups = benchWorld(priceChecks);
  const directory = keepsWorld
    ? path.resolve('bench-results', `world-${priceChecks}`)
    : mkdtempSync(path.join(tmpdir(), 'deal-sets-bench-'));
  const postgres = await EmbeddedPostgres.attachOrStart({
    directory,
    isThrowAway: true,
    settings: LOAD_SETTINGS,
  });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    if (!keepsWorld) rmSync(directory, { recursive: true, force: true });
  };
  try {
    await promisify(execFile)(process.execPath, ['dist/cli.js', 'migrate'], {
      env: { ...process.env, DATABASE_URL: postgres.url },
    });
    // Written after the load: a world that was loaded in part is loaded again, which changes nothing twice.
    const marker = path.join(directory, 'world.json');
    const world = JSON.stringify(groups);
    if (!existsSync(marker) || readFileSync(marker, 'utf8') !== world) {
      await loadWorld(postgres.url, groups, DEALERSHIPS, (done, total) =>
        say(`loaded ${done} of ${total} buyers`),
      );
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

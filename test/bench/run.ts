import { AssertionError } from 'node:assert';
import { execFile } from 'node:child_process';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { TestIssuer } from '../../packages/testing/src/test-issuer.js';
import { benchOptions, type BenchOptions } from './bench-options.js';
import { explainReads } from './explain-reads.js';
import { LoadGenerator } from './load/load-generator.js';
import {
  scenario,
  signedInBuyers,
  type ScenarioName,
  type SignedInBuyer,
} from './load/scenarios.js';
import { figures, median } from './measure/figures.js';
import { Rounds, type Contest } from './measure/rounds.js';
import { proveSameAnswers } from './proof.js';
import {
  aims,
  aimsTable,
  atMost,
  doubts,
  doubtsText,
  figuresTable,
  versionsTable,
  type Aim,
} from './report.js';
import { busyShare } from './servers/process-usage.js';
import { SCHEMA_REFUSED, ServerProcess, type ServerName } from './servers/server-process.js';
import { openBenchDatabase, type BenchDatabase } from './world/bench-database.js';
import type { GroupName } from './world/bench-world.js';

const RESULTS = 'bench-results';
const BUILD = `${RESULTS}/build/test/bench`;
const CONNECTIONS = 16;
const MOST_BUYERS = 2_000;
/** Buyers whose every answer is compared. */
const PROVEN = { everyday: 25, special: 1 };
/** What the rate limit is raised to: it stays on, and no caller reaches it. */
const RATE_LIMIT = '1000000';
/**
 * Connections a pool: for each server the number it is fastest with on two cores, of those from 3 to 10. The
 * service has two such pools and two connections for sign-in, B and D have one.
 */
const POOL_SIZE: Readonly<Record<ServerName, string>> = {
  service: '3',
  before: '3',
  B: '6',
  D: '10',
};

/** Undone last to first, also after an error. */
const cleanUps: (() => Promise<void> | void)[] = [];

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What both kinds of run measure with. */
type Setup = Awaited<ReturnType<typeof prepare>>;

async function bench(options: BenchOptions): Promise<void> {
  mkdirSync(RESULTS, { recursive: true });
  const busyBefore = await busyShare();
  const database = await openBenchDatabase(options.rows, options.keepsWorld, say);
  cleanUps.push(() => database.stop());
  if (options.explainsOnly) {
    const file = path.join(RESULTS, `plans-${options.rows}.txt`);
    writeFileSync(file, await explainReads(database.url, database.groups));
    say(`plans: ${file}`);
    return;
  }
  const setup = await prepare(options, database);
  const found = await (options.against === undefined ? compareServers : compareVersions)(setup);
  const { samples } = setup.rounds;
  const doubtful = doubts(samples, busyBefore);
  process.stdout.write(`\n${doubtsText(doubtful)}`);
  const at = new Date().toISOString();
  const report = {
    at,
    machine: { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version },
    options,
    figures: figures(samples),
    aims: found,
    doubts: doubtful,
    samples,
  };
  const file = path.join(RESULTS, `bench-${at.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  say(`written: ${file}`);
}

async function prepare(options: BenchOptions, database: BenchDatabase) {
  const issuer = await TestIssuer.start();
  cleanUps.push(() => issuer.stop());
  const load = new LoadGenerator();
  cleanUps.push(() => load.stop());
  const buyers = new Map<GroupName, SignedInBuyer[]>();
  for (const group of database.groups)
    buyers.set(group.name, await signedInBuyers(group, MOST_BUYERS, issuer));
  const scripts: Readonly<Record<ServerName, string>> = {
    service: 'dist/main.js',
    before: path.join(options.against ?? '', 'dist/main.js'),
    B: `${BUILD}/server-b/server.js`,
    D: `${BUILD}/server-d/server.js`,
  };
  // Every server has the same settings and, of what it needs, the same of everything.
  const environment = {
    DATABASE_URL: database.url,
    NODE_ENV: 'production',
    READ_RATE_LIMIT: RATE_LIMIT,
    // The library keeps a time for each hit in the window: with a minute's, a caller would have thousands.
    READ_RATE_WINDOW_SECONDS: '1',
    BENCH_PUBLIC_KEY: await publicPem(issuer),
    ...issuer.settings,
  };
  const proven = [...buyers].flatMap(([name, some]) =>
    some.slice(0, name === 'everyday' ? PROVEN.everyday : PROVEN.special),
  );
  return {
    options,
    rounds: new Rounds(load, database.serverPid, say),
    start: async (name: ServerName): Promise<ServerProcess> => {
      const own = { ...environment, DATABASE_POOL_SIZE: POOL_SIZE[name] };
      const caller = proven[0]?.session ?? {};
      const server = await ServerProcess.start(name, scripts[name], own, caller);
      cleanUps.push(() => server.stop());
      return server;
    },
    prove: async (service: ServerProcess, ...others: ServerProcess[]): Promise<void> => {
      const compared = await proveSameAnswers(service, others, proven, issuer);
      say(`${compared} answers are the same on all servers`);
    },
    /** Contests of the chosen scenarios. */
    contests: (all: Partial<Record<ScenarioName, readonly ServerProcess[]>>): Contest[] =>
      (Object.keys(all) as ScenarioName[])
        .filter((name) => name.includes(options.only))
        .map((name) => ({
          scenario: scenario(name, buyers, CONNECTIONS),
          servers: all[name] ?? [],
        })),
  };
}

/** The issuer's key as D is configured with it. */
async function publicPem({ settings }: TestIssuer): Promise<string> {
  const response = await fetch(settings['AUTH_JWKS_URL'] ?? '');
  const { keys } = (await response.json()) as { keys: [JsonWebKey] };
  const key = createPublicKey({ key: keys[0], format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

/** The service, B and D, turn by turn. */
async function compareServers({ options, rounds, start, prove, contests }: Setup): Promise<Aim[]> {
  const service = await start('service');
  const [b, d] = [await start('B'), await start('D')];
  await prove(service, b, d);
  const main = contests({
    one: [service, b, d],
    list: [service, b, d],
    since: [service, b],
    poll: [service, b],
  });
  const special = contests({
    'list, no history': [service],
    'list, 1,000 ended': [service],
    'one, 200 rows': [service, b],
    'list, sets of 25': [service],
    'list, sets of 200': [service, b],
  });
  await rounds.warmUp(main, options.warmUpSeconds);
  await rounds.play(main, options.rounds, options.turnSeconds);
  await rounds.warmUp(special, options.warmUpSeconds / 4);
  await rounds.play(special, options.isQuick ? 1 : options.rounds, options.turnSeconds);

  const starts: number[] = [];
  for (let again = 0; again < (options.isQuick ? 1 : 3); again += 1) {
    const another = await start('service');
    starts.push(another.firstAnswerMs / 1000);
    await another.stop();
  }
  const found = [
    ...aims(rounds.samples),
    atMost('start to first answer', { value: median(starts) }, 1.5, 's'),
  ];
  process.stdout.write(`\n${figuresTable(figures(rounds.samples))}\n${aimsTable(found)}`);
  const limiter = ['--expose-gc', `${BUILD}/measure/limiter-memory.js`];
  const { stdout } = await promisify(execFile)(process.execPath, limiter);
  process.stdout.write(`200,000 principals in the throttler's storage: ${stdout} MB\n`);
  return found;
}

/** The service of this checkout and that of another, turn by turn on one database. */
async function compareVersions({ options, rounds, start, prove, contests }: Setup): Promise<Aim[]> {
  const both = [await start('service'), await start('before')] as const;
  const health = await fetch(`${both[1].url}/health/ready`);
  if (!health.ok) throw new Error(`${options.against} ${SCHEMA_REFUSED} (${await health.text()})`);
  await prove(...both).catch((error: unknown) => {
    // Other answers may be the change that is measured.
    if (!(error instanceof AssertionError)) throw error;
    say(error.message);
  });
  const all = contests({ one: both, list: both, since: both });
  await rounds.warmUp(all, options.warmUpSeconds);
  await rounds.play(all, options.rounds, options.turnSeconds);
  const { samples } = rounds;
  process.stdout.write(`\n${figuresTable(figures(samples))}\n${versionsTable(samples)}`);
  return [];
}

async function cleanUp(): Promise<void> {
  for (let undo = cleanUps.pop(); undo; undo = cleanUps.pop()) {
    try {
      await undo();
    } catch (error) {
      say(`could not stop something: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));

try {
  await bench(benchOptions(process.argv.slice(2)));
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : 'the bench failed');
  process.exitCode = 1;
} finally {
  await cleanUp();
}

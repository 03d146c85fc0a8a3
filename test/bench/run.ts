import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { benchOptions, SMALL_WORLD, type BenchOptions } from './bench-options.js';
import { LoadGenerator } from './load/load-generator.js';
import {
  LIST_PATH,
  scenarios,
  signedInBuyers,
  type ScenarioName,
  type SignedInBuyer,
} from './load/scenarios.js';
import { figures } from './measure/figures.js';
import { measureGrowth, type WorldService } from './measure/growth.js';
import { Rounds, type Contest } from './measure/rounds.js';
import { proveSameAnswers } from './proof.js';
import { aims, doubts } from './report/aims.js';
import type { BenchReport } from './report/bench-report.js';
import { htmlReport } from './report/html-report.js';
import { growthReport, textReport } from './report/text-report.js';
import { explainReads } from './explain-reads.js';
import { BenchIssuer } from './servers/bench-issuer.js';
import { busyShare } from './servers/process-usage.js';
import { runNode } from './servers/run-node.js';
import { ServerProcess, type ServerName } from './servers/server-process.js';
import { openBenchDatabase, type BenchDatabase } from './world/bench-database.js';
import type { GroupName } from './world/bench-world.js';

const RESULTS = 'bench-results';
const MOST_BUYERS = 2_000;
/** Buyers whose every answer is compared. */
const PROVEN = { everyday: 25, special: 1 };
/** What the rate limit is raised to: it stays on, and no caller reaches it. */
const RATE_LIMIT = '1000000';
/**
 * Connections a pool: for each server the number it is fastest with on two cores, of those from 3 to 10. The
 * service has two such pools and two connections for sign-in, the peers have one.
 */
const POOL_SIZE: Readonly<Record<ServerName, string>> = {
  service: '3',
  A: '6',
  B: '6',
  R: '6',
  D: '10',
};

/** Undone last to first, also after an error. */
const cleanUps: (() => Promise<void> | void)[] = [];

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function bench(options: BenchOptions): Promise<void> {
  const busyBefore = await busyShare();
  const database = await openBenchDatabase(options.rows, options.keepsWorld);
  cleanUps.push(() => database.stop());
  if (options.explainsOnly) {
    const file = path.join(RESULTS, `plans-${options.rows}.txt`);
    writeFileSync(file, await explainReads(database.url, database.groups));
    say(`plans: ${file}`);
    return;
  }
  const issuer = await BenchIssuer.start();
  cleanUps.push(() => issuer.stop());
  if (options.comparesGrowth) {
    await growth(database, issuer, options);
    return;
  }
  const buyers = await buyersOf(database, MOST_BUYERS, issuer);
  const start = startServers(database, issuer, callerOf(buyers));
  const service = await start('service');
  const b = await start('B');
  const r = await start('R');
  const d = await start('D');
  const floor = options.isQuick ? undefined : await start('A');
  say(
    `started; first answers after ${[service, b, d].map(({ firstAnswerMs }) => Math.round(firstAnswerMs)).join(', ')} ms`,
  );

  const proven = [...buyers].flatMap(([name, all]) =>
    all.slice(0, name === 'everyday' ? PROVEN.everyday : PROVEN.special),
  );
  const answersCompared = await proveSameAnswers(service, [b, r, d], proven, issuer);
  say(`${answersCompared} answers are the same on all servers`);
  for (const group of ['small-sets', 'large-sets'] as const) {
    const headers = buyers.get(group)?.[0]?.session ?? {};
    const { length } = await (await fetch(service.url + LIST_PATH, { headers })).text();
    say(`a list of the group ${group} has ${length} characters`);
  }

  const load = new LoadGenerator();
  cleanUps.push(() => load.stop());
  const rounds = new Rounds(load, database.serverPid);
  await measure(rounds, buyers, { service, b, r, d, floor }, options);

  const restarts: number[] = [];
  for (let again = 0; again < (options.isQuick ? 1 : 3); again += 1) {
    const another = await start('service');
    restarts.push(another.firstAnswerMs / 1000);
    await another.stop();
  }
  const memory = await runNode([
    '--expose-gc',
    `${RESULTS}/build/test/bench/measure/limiter-memory.js`,
  ]);
  const { growthMb } = JSON.parse(memory) as { growthMb: number };

  const { samples } = rounds;
  const report: BenchReport = {
    at: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      node: process.version,
    },
    world: options.rows,
    rounds: options.rounds,
    answersCompared,
    figures: figures(samples),
    aims: aims(samples, { firstAnswerSeconds: restarts, limiterGrowthMb: growthMb }),
    doubts: doubts(samples, busyBefore),
    samples,
  };
  write(report);
}

type Buyers = ReadonlyMap<GroupName, readonly SignedInBuyer[]>;

async function buyersOf(
  { groups }: BenchDatabase,
  most: number,
  issuer: BenchIssuer,
): Promise<Buyers> {
  const buyers = new Map<GroupName, SignedInBuyer[]>();
  for (const group of groups) buyers.set(group.name, await signedInBuyers(group, most, issuer));
  return buyers;
}

/** Credentials of someone, to find out when a server answers. */
function callerOf(buyers: Buyers): Readonly<Record<string, string>> {
  return buyers.get('everyday')?.[0]?.session ?? {};
}

/** What a table's growth costs: this world beside the small one. */
async function growth(
  database: BenchDatabase,
  issuer: BenchIssuer,
  options: BenchOptions,
): Promise<void> {
  const smallDatabase = await openBenchDatabase(SMALL_WORLD, options.keepsWorld);
  cleanUps.push(() => smallDatabase.stop());
  const most = smallDatabase.groups.find(({ name }) => name === 'everyday')?.options.buyers ?? 0;
  const serve = async (world: BenchDatabase): Promise<WorldService> => {
    const buyers = await buyersOf(world, most, issuer);
    const server = await startServers(world, issuer, callerOf(buyers))('service');
    return { server, scenarios: scenarios(buyers, options.connections) };
  };
  const worlds = { small: await serve(smallDatabase), large: await serve(database) };
  const load = new LoadGenerator();
  cleanUps.push(() => load.stop());
  const found = await measureGrowth(load, worlds, {
    rounds: options.rounds,
    seconds: options.turnSeconds,
    warmUpSeconds: options.warmUpSeconds,
  });
  process.stdout.write(growthReport(found, options));
}

/** Every server has the same settings and, of what it needs, the same of everything. */
function startServers(
  { url }: BenchDatabase,
  issuer: BenchIssuer,
  caller: Readonly<Record<string, string>>,
): (name: ServerName) => Promise<ServerProcess> {
  const environment = {
    DATABASE_URL: url,
    NODE_ENV: 'production',
    READ_RATE_LIMIT: RATE_LIMIT,
    BENCH_PUBLIC_KEY: issuer.publicPem,
    ...issuer.environment,
  };
  const profile = process.env['BENCH_PROFILE'];
  return async (name) => {
    const options = name === profile ? ['--cpu-prof', `--cpu-prof-dir=${RESULTS}/profiles`] : [];
    const own = { ...environment, DATABASE_POOL_SIZE: POOL_SIZE[name] };
    const server = await ServerProcess.start(name, own, caller, options);
    cleanUps.push(() => server.stop());
    return server;
  };
}

interface Contestants {
  readonly service: ServerProcess;
  readonly b: ServerProcess;
  readonly r: ServerProcess;
  readonly d: ServerProcess;
  /** Only in full runs. */
  readonly floor: ServerProcess | undefined;
}

async function measure(
  rounds: Rounds,
  buyers: Buyers,
  { service, b, r, d, floor }: Contestants,
  options: BenchOptions,
): Promise<void> {
  const all = scenarios(buyers, options.connections);
  const contest = (name: ScenarioName, ...servers: ServerProcess[]): Contest => ({
    scenario: all.get(name)!,
    servers,
  });
  const chosen = (contests: Contest[]): Contest[] =>
    contests.filter(({ scenario }) => scenario.name.includes(options.only));
  const main = chosen([
    contest('one', service, b, ...(floor ? [floor] : [])),
    contest('list', service, b, r, ...(floor ? [floor] : [])),
    contest('since', service, b, r),
    contest('poll', service, b),
  ]);
  const special = chosen([
    contest('list, no history', service),
    contest('list, 1,000 ended', service),
    contest('one, 200 rows', service, b),
    contest('list, sets of 25', service),
    contest('list, sets of 200', service, b),
  ]);
  const idiom = chosen([contest('one', d), contest('list', d)]);
  const turn = (sample: { scenario: string; server: string; perSecond: number }): void =>
    say(`  ${sample.scenario}, ${sample.server}: ${Math.round(sample.perSecond)}/s`);

  await rounds.warmUp([...main, ...idiom], options.warmUpSeconds);
  await rounds.play(main, options.rounds, options.turnSeconds, turn);
  await rounds.play(idiom, Math.min(options.rounds, 3), options.turnSeconds, turn);
  await rounds.warmUp(special, options.warmUpSeconds / 4);
  await rounds.play(special, options.isQuick ? 1 : options.rounds, options.turnSeconds, turn);
}

function write(report: BenchReport): void {
  mkdirSync(RESULTS, { recursive: true });
  const name = path.join(RESULTS, `bench-${report.at.replaceAll(/[:.]/g, '-')}`);
  writeFileSync(`${name}.json`, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(`${name}.html`, htmlReport(report));
  process.stdout.write(textReport(report));
  say(`\nwritten: ${name}.json and .html`);
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

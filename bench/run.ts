import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TestIssuer } from '../packages/testing/src/test-issuer.js';
import { currentLoad, floorsOfB, isTooBusy, loadText } from './conditions.js';
import { proveSameAnswers } from './proof.js';
import { doubts, figures, figuresTable } from './report.js';
import { playRounds } from './rounds.js';
import { AUDIENCE, LIST_PATH, PUBLIC_URL, scenarios, signIn } from './scenarios.js';
import { ServerProcess } from './server-process.js';
import { openBenchDatabase } from './world.js';

const HELP = `npm run bench -- [options]

  --rows N      price checks of everyday buyers, in thousands (default 100, about two minutes to
                load); special buyers add another 31
  --rounds N    interleaved rounds (default 7)
  --seconds N   seconds of load on each server in a round (default 4)
  --only TEXT   measure only the scenarios whose name contains this text, such as "one"
`;
const RESULTS = 'bench-results';
const CONNECTIONS = 16;
const MOST_BUYERS = 2_000;
/** The number of everyday buyers whose responses are compared. */
const PROVEN = 25;
/** The rate limit is on but too high for any caller to reach. */
const RATE_LIMIT = '1000000';
/**
 * Each server's program and the size of each of its connection pools. Of the sizes from 3 to 10,
 * it is the fastest one on two cores. The service has two such pools and two connections for
 * sign-in; the others have one pool.
 */
const SERVERS = {
  service: ['dist/main.js', '3'],
  B: [`${RESULTS}/build/bench/server-b/server.js`, '6'],
  floor: [`${RESULTS}/build/bench/floor/server.js`, '6'],
} as const;

/** Ends the bench without figures, because they would describe the machine. */
class Refusal extends Error {}

/** The clean-up steps, which run in reverse order, even after an error. */
const cleanUps: (() => Promise<void> | void)[] = [];
const say = (text: string): unknown => process.stderr.write(`${text}\n`);

async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '4' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const [rows, rounds, seconds] = [+values.rows, +values.rounds, +values.seconds];
  if (!(Math.min(rows, rounds, seconds) > 0)) throw new TypeError(HELP);
  const loadBefore = await currentLoad();
  say(`before: ${loadText(loadBefore)}`);
  if (isTooBusy(loadBefore)) throw new Refusal('the machine is busy');
  mkdirSync(RESULTS, { recursive: true });
  const database = await openBenchDatabase(rows * 1_000, say);
  cleanUps.push(() => database.stop());
  const issuer = await TestIssuer.start();
  cleanUps.push(() => issuer.stop());
  const buyers = await signIn(database.groups, MOST_BUYERS, issuer);

  // All servers run with the same settings.
  const environment = {
    DATABASE_URL: database.url,
    NODE_ENV: 'production',
    READ_RATE_LIMIT: RATE_LIMIT,
    // The rate limiter stores a time for each hit in the window. With a window of a minute it would
    // store thousands for each caller.
    READ_RATE_WINDOW_SECONDS: '1',
    BENCH_PUBLIC_KEY: issuer.key.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ...issuer.settings,
    AUTH_AUDIENCE: AUDIENCE,
    // Server B has no MCP and ignores these settings.
    MCP: 'on',
    PUBLIC_URL,
  };
  const [buyer] = buyers.everyday;
  const ready = { path: `${LIST_PATH}/${buyer!.setIds[0]}`, headers: buyer!.session };
  const servers: ServerProcess[] = [];
  for (const [name, [script, pool]] of Object.entries(SERVERS)) {
    const env = { ...environment, DATABASE_POOL_SIZE: pool };
    const server = await ServerProcess.start(name, script, env, ready);
    cleanUps.push(() => server.stop());
    servers.push(server);
  }
  const { everyday, ...special } = buyers;
  const proven = [
    ...everyday.slice(0, PROVEN),
    ...Object.values(special).map(([request]) => request!),
  ];
  say(`${await proveSameAnswers(servers, proven, issuer)} responses are the same on all servers`);

  const samples = await playRounds({
    scenarios: scenarios(values.only, buyers, CONNECTIONS),
    servers,
    databasePid: database.serverPid,
    rounds,
    seconds,
    say,
  });
  const loadAfter = await currentLoad();
  say(`after: ${loadText(loadAfter)}`);
  const found = figures(samples);
  const slow = floorsOfB(found).filter(({ scenario, perSecond, least }) => {
    say(`B, ${scenario}: ${Math.round(perSecond)}/s (at least ${least}/s)`);
    return perSecond < least;
  });
  if (isTooBusy(loadAfter)) throw new Refusal('the machine is busy');
  if (slow.length > 0) throw new Refusal('server B was too slow');
  const doubtful = doubts(found);
  process.stdout.write(`\n${figuresTable(found)}\n`);
  const doubtText = doubtful.map((line) => `  ${line}\n`).join('');
  process.stdout.write(
    doubtText
      ? `The rounds differ too much for these figures:\n${doubtText}`
      : 'The rounds agree.\n',
  );
  const at = new Date().toISOString();
  const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
  const load = { before: loadBefore, after: loadAfter };
  const report = { at, machine, load, options: values, figures: found, doubts: doubtful, samples };
  const file = path.join(RESULTS, `bench-${at.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  say(`written: ${file}`);
}

async function cleanUp(): Promise<void> {
  for (let undo = cleanUps.pop(); undo; undo = cleanUps.pop()) await undo();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));

try {
  await bench();
} catch (error) {
  if (error instanceof Refusal) say(`no figures: ${error.message}`);
  else say(error instanceof Error ? (error.stack ?? error.message) : 'the bench failed');
  process.exitCode = 1;
} finally {
  await cleanUp();
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { worldText } from './world-generator.js';
import { WORLD_DEFAULTS } from './world-options.js';

const USAGE = `Writes a made-up world as an import file to standard output.

  npm run --silent world -- --buyers 1266 > world.ndjson          (100,000 price checks)
  npm run --silent world -- --buyers 10 --seed 7 --sets 12 --singles 25 | npx deal-sets import --backfill -

  --buyers <count>    how many buyers (required)
  --seed <text>       the same seed gives the same world (${WORLD_DEFAULTS.seed})
  --sets <count>      a buyer's deal sets that have not ended (${WORLD_DEFAULTS.sets})
  --rows <count>      dealerships asked in a deal set (${WORLD_DEFAULTS.rows})
  --singles <count>   a buyer's open requests to one dealership (${WORLD_DEFAULTS.singles})
  --ended <count>     a buyer's ended requests, of both kinds (${WORLD_DEFAULTS.ended})

Every buyer is signed in and has approved the assistant \`world-assistant\`; worldBuyerId and worldCookie in
packages/demo/src/world/generate-buyer.ts give the id and the cookie value of buyer number n, from 0.
`;
const LIMITS = { buyers: 100_000_000, sets: 10_000, rows: 1_000, singles: 10_000, ended: 10_000 };
const text = { type: 'string' } as const;
const help = { type: 'boolean', short: 'h' } as const;
const { seed, ...COUNTS } = WORLD_DEFAULTS;

class WrongOption extends Error {}

function countOf(name: keyof typeof LIMITS, text = ''): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= LIMITS[name]) return value;
  throw new WrongOption(`--${name} must be a whole number from 0 to ${LIMITS[name]}.`);
}

interface Given {
  readonly seed: string;
  readonly buyers?: string | undefined;
  readonly sets: string | number;
  readonly rows: string | number;
  readonly singles: string | number;
  readonly ended: string | number;
}

async function write(parameters: Given): Promise<void> {
  const world = {
    seed: parameters.seed,
    buyers: countOf('buyers', parameters.buyers),
    sets: countOf('sets', String(parameters.sets)),
    rows: countOf('rows', String(parameters.rows)),
    singles: countOf('singles', String(parameters.singles)),
    ended: countOf('ended', String(parameters.ended)),
  };
  await pipeline(Readable.from(worldText(world)), process.stdout);
}

try {
  const options = {
    seed: text,
    buyers: text,
    sets: text,
    rows: text,
    singles: text,
    ended: text,
    help,
  };
  const { help: asksForHelp, ...values } = parseArgs({ options }).values;
  if (asksForHelp) process.stdout.write(USAGE);
  else await write({ seed, ...COUNTS, ...values });
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isUsage = error instanceof WrongOption || code.startsWith('ERR_PARSE_ARGS');
  if (isUsage) process.stderr.write(`${message}\n\n${USAGE}`);
  // EPIPE: the reader closed the pipe, as `| head` does.
  else if (code !== 'EPIPE') throw error;
  if (isUsage) process.exitCode = 1;
}

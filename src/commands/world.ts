import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { worldText } from '../world/world-generator.js';
import { WORLD_DEFAULTS, type WorldOptions } from '../world/world-options.js';
import { wholeNumber } from './option-values.js';

async function world(options: WorldOptions): Promise<void> {
  try {
    await pipeline(Readable.from(worldText(options)), process.stdout);
  } catch (error) {
    // The reader closed the pipe, as `| head` does.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

export function addWorldCommand(program: Command): void {
  const { seed, sets, rows, singles, ended } = WORLD_DEFAULTS;
  const upTo = (max: number): ((text: string) => number) => wholeNumber(0, max);
  program
    .command('world')
    .description('write a made-up world as an import file to standard output')
    .requiredOption('--buyers <count>', 'how many buyers', upTo(100_000_000))
    .option('--seed <text>', 'the same seed gives the same world', seed)
    .option('--sets <count>', "a buyer's deal sets that have not ended", upTo(10_000), sets)
    .option('--rows <count>', 'dealerships asked in a deal set', upTo(1_000), rows)
    .option('--singles <count>', "a buyer's open requests to one dealership", upTo(10_000), singles)
    .option('--ended <count>', "a buyer's ended requests, of both kinds", upTo(10_000), ended)
    .addHelpText(
      'after',
      '\nExamples:\n  deal-sets world --buyers 1266 > world.ndjson    (100,000 price checks)\n' +
        '  deal-sets world --buyers 10 --seed 7 --sets 12 --singles 25 | deal-sets import --backfill -\n\n' +
        'Every buyer is signed in and has approved the assistant `world-assistant`. Buyer number n, from 0,\n' +
        'has the id and the cookie value that worldBuyerId(seed, n) and worldCookie(seed, n) in\n' +
        'src/demo/made-buyer.ts give: for a seed s, the cookie value is the base64url form of\n' +
        'SHA-256 over the JSON text ["s","secret session n"].',
    )
    .action(world);
}

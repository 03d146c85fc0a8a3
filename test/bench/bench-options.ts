import { parseArgs } from 'node:util';

/** Price checks of the world that a larger one is compared with. */
export const SMALL_WORLD = 200_000;

/** Price checks in the world, by the words of the command line. */
const SIZES: Readonly<Record<string, number>> = {
  '200k': SMALL_WORLD,
  '2m': 2_000_000,
  '20m': 20_000_000,
};

export interface BenchOptions {
  /** Smaller figures in under two minutes: to see that nothing broke, not to quote. */
  readonly isQuick: boolean;
  /** Price checks in the world, about. */
  readonly rows: number;
  /** Keeps the loaded world under bench-results, and uses one that is there. */
  readonly keepsWorld: boolean;
  readonly connections: number;
  /** Interleaved rounds, and the length of each server's turn in one. */
  readonly rounds: number;
  readonly turnSeconds: number;
  readonly warmUpSeconds: number;
  /** Part of the names of the scenarios that are measured; '' for all. */
  readonly only: string;
  /** Compares the time of a request with that on the small world, and measures nothing else. */
  readonly comparesGrowth: boolean;
  /** Only load (with `--keep`) and explain, measure nothing. */
  readonly explainsOnly: boolean;
}

const HELP = `npm run bench -- [options]

  --quick         under two minutes, few rounds
  --rows SIZE     price checks in the world: 200k (default), 2m or 20m
  --keep          keep the loaded world under bench-results/, and use it when it is there
  --rounds N      interleaved rounds (default 7, quick 3)
  --seconds N     length of a server's turn in a round (default 4, quick 1.5)
  --only TEXT     measure the scenarios whose name contains it, as "sets of"
  --growth        with a larger world: its time per request ÷ that of 200k, and nothing else
  --explain       load the world, write the plans of the reads and end
`;

/** Reads the command line; prints the help and ends the process when asked or when it is wrong. */
export function benchOptions(args: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        rows: { type: 'string', default: '200k' },
        keep: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string', default: '' },
        growth: { type: 'boolean', default: false },
        explain: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const rows = SIZES[values.rows.toLowerCase()];
    if (rows === undefined)
      throw new TypeError(`--rows is one of ${Object.keys(SIZES).join(', ')}`);
    if (values.growth && rows === SMALL_WORLD)
      throw new TypeError('--growth compares a larger world with 200k: add --rows 2m or 20m');
    return {
      isQuick: values.quick,
      rows,
      keepsWorld: values.keep,
      connections: 16,
      rounds: positive(values.rounds, values.quick ? 3 : 7),
      turnSeconds: positive(values.seconds, values.quick ? 1.5 : 4),
      warmUpSeconds: values.quick ? 1.5 : 5,
      only: values.only,
      comparesGrowth: values.growth,
      explainsOnly: values.explain,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'wrong options'}\n\n${HELP}`);
    process.exit(2);
  }
}

function positive(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!(value > 0)) throw new TypeError('--rounds and --seconds are positive numbers');
  return value;
}

import { parseArgs } from 'node:util';

/** Price checks in the world, by the words of the command line. */
const SIZES: Readonly<Record<string, number>> = {
  '20k': 20_000,
  '100k': 100_000,
  '200k': 200_000,
  '2m': 2_000_000,
};

export interface BenchOptions {
  /** Few and short rounds on a small world: to see that nothing broke, not to quote. */
  readonly isQuick: boolean;
  /** Price checks of the everyday buyers, about. */
  readonly rows: number;
  /** Keeps the loaded world under bench-results, and uses one that is there. */
  readonly keepsWorld: boolean;
  /** Interleaved rounds, and the length of each server's turn in one. */
  readonly rounds: number;
  readonly turnSeconds: number;
  readonly warmUpSeconds: number;
  /** Part of the names of the scenarios that are measured; '' for all. */
  readonly only: string;
  /** A second built checkout, whose service plays in place of servers B and D. */
  readonly against: string | undefined;
  /** Only load and explain, measure nothing. */
  readonly explainsOnly: boolean;
}

const HELP = `npm run bench -- [options]

  --quick         few and short rounds on a world of 20k
  --rows SIZE     price checks in the world: 20k, 100k (default), 200k or 2m; 33k of special buyers come on top.
                  It is loaded by the import: 100k in about two minutes, 2m in about half an hour
  --keep          keep the loaded world under bench-results/, and use it when it is there
  --rounds N      interleaved rounds (default 7, quick 3)
  --seconds N     length of a server's turn in a round (default 4, quick 1.5)
  --only TEXT     measure the scenarios whose name contains it, as "sets of"
  --against DIR   compare with the service of DIR, another checkout that is built (DIR/dist/main.js) and has its
                  dependencies, on the same database: new ÷ old for one, list and since, and nothing else
  --explain       load the world, write the plans of the reads and end
`;

/** Reads the command line; prints the help and ends the process when asked or when it is wrong. */
export function benchOptions(args: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        rows: { type: 'string' },
        keep: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string', default: '' },
        against: { type: 'string' },
        explain: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const rows = SIZES[(values.rows ?? (values.quick ? '20k' : '100k')).toLowerCase()];
    if (rows === undefined)
      throw new TypeError(`--rows is one of ${Object.keys(SIZES).join(', ')}`);
    return {
      isQuick: values.quick,
      rows,
      keepsWorld: values.keep,
      rounds: positive(values.rounds, values.quick ? 3 : 7),
      turnSeconds: positive(values.seconds, values.quick ? 1.5 : 4),
      warmUpSeconds: values.quick ? 1.5 : 5,
      only: values.only,
      against: values.against,
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

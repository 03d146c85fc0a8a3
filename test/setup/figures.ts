import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What was measured of one fault. A column that does not apply is left out. */
export interface Figure {
  readonly fault: string;
  /** Milliseconds until callers had their answer, the slowest. */
  readonly answeredMs?: number;
  /** Milliseconds from the end of the fault to the first good answer. */
  readonly recoveredMs?: number;
  /** Connections to the server before and after. */
  readonly connections?: string;
  /** Requests without an answer, or hit by what was meant for another. */
  readonly lost?: number;
  readonly note?: string;
}

/** Where the run's figures are kept: the environment is the only channel that reaches every worker. */
const FILE = 'DEAL_SETS_TEST_FIGURES';

/** Begins an empty list of figures for the run. */
export function openFigures(): void {
  process.env[FILE] = path.join(tmpdir(), `deal-sets-figures-${process.pid}.ndjson`);
}

/** Keeps a figure for the table at the end of the run. */
export function keepFigure(figure: Figure): void {
  const rounded = Object.fromEntries(
    Object.entries(figure).map(([key, value]) => [
      key,
      typeof value === 'number' ? Math.round(value) : (value as unknown),
    ]),
  );
  const file = process.env[FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(rounded)}\n`);
}

/** Prints the figures of a run, once, and forgets them. */
export function printFigures(): void {
  const file = process.env[FILE];
  if (file === undefined || !existsSync(file)) return;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  rmSync(file);
  const figures = lines.map((line) => JSON.parse(line) as Figure);
  const rows = Object.fromEntries(figures.map(({ fault, ...rest }) => [fault, rest]));
  process.stdout.write('\nFaults, as measured in this run\n');
  console.table(rows, ['answeredMs', 'recoveredMs', 'connections', 'lost', 'note']);
}

import { Presets, SingleBar } from 'cli-progress';
import { restamp, type RestampProgress } from '../schema/restamp.js';
import { formatIsoTime } from '../../kernel/iso-time.js';
import { writeAuditLine } from './audit.js';
import {
  CommandError,
  countOf,
  formatCount,
  notesAtTimes,
  printNote,
  unknownBuyer,
  withClient,
} from './command-line.js';
import { failureText } from './failure-text.js';

interface RestampFlags {
  readonly buyer?: string;
  /** The time after which every stamp must be, in milliseconds since 1970. */
  readonly after?: number;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * `deal-sets restamp`: gives requests new stamps, and prints how to continue if it is interrupted.
 *
 * @throws {CommandError} for an unknown buyer, or when it was interrupted.
 */
export async function runRestamp({ buyer, after }: RestampFlags): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  // A second signal has its usual effect and ends the process.
  const interrupt = (): void => interruption.abort(new CommandError('Interrupted.'));
  for (const name of SIGNALS) process.once(name, interrupt);
  const progress = new ProgressOnStandardError(buyer);
  try {
    await withClient(async (client, settings) => {
      if (buyer !== undefined) {
        const { rowCount } = await client.query('SELECT 1 FROM public.buyer WHERE id = $1', [
          buyer,
        ]);
        if (rowCount === 0) throw unknownBuyer(buyer);
      }
      // Written before the first stamp, because an interrupted restamp has also changed stamps.
      writeAuditLine(settings, { action: 'restamp', buyer });
      const { buyers, stamped, afterMs } = await restamp(client, {
        ...(buyer !== undefined && { buyerId: buyer }),
        ...(after !== undefined && { afterMs: after }),
        progress,
        signal,
      })
        .finally(() => progress.end())
        .catch((error: unknown) => {
          const next = progress.commandToContinue;
          if (next === undefined) throw error;
          const lines = [failureText(error), progress.done, `To continue, run \`${next}\`.`];
          throw new CommandError(lines.filter(Boolean).join(' '), { cause: error });
        });
      printNote(
        `Restamped ${countOf(stamped, 'request')}; all requests of ${countOf(buyers, 'buyer')} ` +
          `now have a stamp after ${formatIsoTime(afterMs)}.`,
      );
    });
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}

/** Shows a bar on a terminal, otherwise a plain line at intervals. */
class ProgressOnStandardError implements RestampProgress {
  done = '';
  /** The command that continues this restamp; undefined until `begin` is called. */
  commandToContinue: string | undefined;
  readonly #hasBar = process.stderr.isTTY;
  readonly #bar = new SingleBar(
    { format: '{bar} {percentage}% | {phase}', hideCursor: true },
    Presets.shades_classic,
  );
  readonly #note = notesAtTimes();
  #buyers = 0;
  #hasSaidWhy = false;

  constructor(private readonly buyer?: string) {}

  begin(afterMs: number, buyers: number): void {
    const after = formatIsoTime(afterMs);
    const buyerOption = this.buyer === undefined ? '' : ` --buyer ${this.buyer}`;
    this.commandToContinue = `deal-sets restamp${buyerOption} --after ${after}`;
    this.#buyers = buyers;
    printNote(
      `Restamping every request whose stamp is not after ${after}. ` +
        `If this is interrupted, continue with \`${this.commandToContinue}\`.`,
    );
    if (this.#hasBar) this.#bar.start(buyers, 0, { phase: '' });
  }

  waiting(remainingMs: number): void {
    const seconds = formatCount(Math.ceil(remainingMs / 1_000));
    const phase = `waiting ${seconds} s until the database's clock has passed that time`;
    if (this.#hasBar) this.#bar.update({ phase });
    else if (this.#hasSaidWhy) this.#note(phase);
    else printNote(phase);
    this.#hasSaidWhy = true;
  }

  advance({ buyers, stamped }: { readonly buyers: number; readonly stamped: number }): void {
    const share = `${formatCount(buyers)} of ${formatCount(this.#buyers)} buyers`;
    this.done = `${formatCount(stamped)} requests were stamped, ${share} are done.`;
    if (this.#hasBar)
      this.#bar.update(buyers, { phase: `${formatCount(stamped)} requests stamped` });
    else this.#note(this.done);
  }

  end(): void {
    this.#bar.stop();
  }
}

import { Presets, SingleBar } from 'cli-progress';
import { formatIsoTime } from '../../kernel/iso-time.js';
import { rebuild, type RebuildProgress, type RebuildSummary } from '../rebuild.js';
import { writeAuditLine } from './audit.js';
import {
  assertBuyerExists,
  CommandError,
  countOf,
  formatCount,
  interruptible,
  InterruptedError,
  notesAtTimes,
  printNote,
  withClient,
} from './command-line.js';
import { failureText } from './failure-text.js';

interface RebuildFlags {
  readonly buyer?: string;
  readonly restamp?: true;
  /** The time after which every stamp must be, in milliseconds since 1970. */
  readonly after?: number;
}

/**
 * `deal-sets rebuild`: recomputes by the current rules what the triggers maintain and, with
 * `restamp`, stamps every request anew. It prints how to continue if it is interrupted.
 *
 * @throws {CommandError} for `after` without `restamp`, for an unknown buyer, or when it was
 *   interrupted.
 */
export async function runRebuild({ buyer, restamp, after }: RebuildFlags): Promise<void> {
  if (after !== undefined && !restamp) {
    throw new CommandError('--after is an option of a rebuild with --restamp: add --restamp.');
  }
  const progress = new ProgressOnStandardError(buyer);
  const work = (signal: AbortSignal) =>
    withClient(async (client, settings) => {
      if (buyer !== undefined) await assertBuyerExists(client, buyer);
      // Written before the first request, because an interrupted rebuild has also changed stamps.
      writeAuditLine(settings, { action: 'rebuild', buyer, restamp });
      const done = await rebuild(client, {
        ...(buyer !== undefined && { buyerId: buyer }),
        ...(restamp && { restamp: after === undefined ? {} : { afterMs: after } }),
        progress,
        signal,
      })
        .finally(() => progress.end())
        .catch((error: unknown) => {
          throw progress.errorWithNext(error);
        });
      printNote(
        `Compared ${countOf(done.compared, 'request')} of ${countOf(done.buyers, 'buyer')}: ` +
          `${formatCount(done.stamped)} got a new stamp.`,
      );
    });
  await interruptible('Interrupted.', work);
}

/** Shows a bar on a terminal, otherwise a plain line at intervals. */
class ProgressOnStandardError implements RebuildProgress {
  #done = '';
  /** The command that continues this rebuild; undefined until `begin` is called. */
  #commandToContinue: string | undefined;
  readonly #hasBar = process.stderr.isTTY;
  readonly #bar = new SingleBar(
    { format: '{bar} {percentage}% | {phase}', hideCursor: true },
    Presets.shades_classic,
  );
  readonly #note = notesAtTimes();
  #buyers = 0;
  #hasReportedReason = false;

  constructor(private readonly buyer?: string) {}

  begin(buyers: number, afterMs: number | undefined): void {
    const buyerOption = this.buyer === undefined ? '' : ` --buyer ${this.buyer}`;
    const after = afterMs === undefined ? '' : ` --restamp --after ${formatIsoTime(afterMs)}`;
    this.#commandToContinue = `deal-sets rebuild${buyerOption}${after}`;
    this.#buyers = buyers;
    if (afterMs !== undefined) {
      printNote(
        `Stamping every request whose stamp is not after ${formatIsoTime(afterMs)}. ` +
          `If this is interrupted, continue with \`${this.#commandToContinue}\`.`,
      );
    }
    if (this.#hasBar) this.#bar.start(buyers, 0, { phase: '' });
  }

  waiting(remainingMs: number): void {
    const seconds = formatCount(Math.ceil(remainingMs / 1_000));
    const phase = `waiting ${seconds} s until the database's clock has passed that time`;
    if (this.#hasBar) this.#bar.update({ phase });
    else if (this.#hasReportedReason) this.#note(phase);
    else printNote(phase);
    this.#hasReportedReason = true;
  }

  advance({ buyers, compared, stamped }: RebuildSummary): void {
    const share = `${formatCount(buyers)} of ${formatCount(this.#buyers)} buyers are done`;
    this.#done = `${countOf(compared, 'request')} compared, ${formatCount(stamped)} stamped, ${share}.`;
    if (this.#hasBar)
      this.#bar.update(buyers, { phase: `${formatCount(compared)} requests compared` });
    else this.#note(this.#done);
  }

  end(): void {
    this.#bar.stop();
  }

  /** Returns the error of a rebuild that has begun with what is done and how to continue. */
  errorWithNext(error: unknown): unknown {
    if (this.#commandToContinue === undefined) return error;
    const next = `To continue, run \`${this.#commandToContinue}\`.`;
    const message = [failureText(error), this.#done, next].filter(Boolean).join(' ');
    if (error instanceof InterruptedError) return new InterruptedError(message, error.exitCode);
    return new CommandError(message, { cause: error });
  }
}

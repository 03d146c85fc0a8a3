import type { Command } from 'commander';
import { formatIsoTime } from '../../kernel/iso-time.js';
import type { RebuildProgress, RebuildSummary } from '../rebuild.js';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { assertBuyerExists, withClient } from './database.js';
import { interruptible, InterruptedError } from './interruption.js';
import { isoTime, uuid } from './option-values.js';
import { countOf, formatCount, printNote } from './output.js';
import { ProgressLine } from './progress-line.js';

/**
 * `deal-sets rebuild`: recomputes by the current rules what the triggers maintain and, with
 * `restamp`, stamps every request anew. It prints how to continue if it is interrupted.
 */
export const rebuildCommand = (): Command =>
  command('rebuild', {
    summary: 'recompute what the triggers maintain, buyer by buyer',
    examples: ['deal-sets rebuild', 'deal-sets rebuild --restamp --after 2026-10-14T16:00:00Z'],
    note:
      'Run it after an upgrade that changes the rules for these rows (readiness then reports "pending": "rebuild"),\n' +
      'or to repair rows. The service can run meanwhile. Requests that look different to clients get a new stamp\n' +
      'and are returned by the next poll; all others keep their stamps. You can interrupt it and run it again.\n\n' +
      'With --restamp, every request gets a new stamp, so that each client receives everything once more. This is\n' +
      'the last step of a restore, or of a failover to a server whose clock is behind. --after is the latest time\n' +
      "that the old server may have returned as Service-As-Of; stamping begins when the database's clock has passed\n" +
      "it. Default: the current time of the database's clock, or the newest stamp if that is later. To continue an\n" +
      'interrupted restamp, run it again with the same --after.',
  })
    .option('--buyer <id>', 'only the requests of one buyer', uuid)
    .option('--restamp', 'give every request a new stamp')
    .option('--after <time>', 'stamp only requests whose stamp is not after this time', isoTime)
    .action(runRebuild);

interface RebuildFlags {
  readonly buyer?: string;
  readonly restamp?: true;
  /** The time after which every stamp must be, in milliseconds since 1970. */
  readonly after?: number;
}

async function runRebuild({ buyer, restamp, after }: RebuildFlags): Promise<void> {
  if (after !== undefined && !restamp) {
    throw new CommandError('--after is an option of a rebuild with --restamp: add --restamp.');
  }
  const [{ rebuild }, { writeAuditLine }, { failureText }] = await Promise.all([
    import('../rebuild.js'),
    import('./audit.js'),
    import('./failure-text.js'),
  ]);
  const progress = new RebuildProgressLine(buyer);
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
          throw progress.errorWithNext(error, failureText(error));
        });
      printNote(
        `Compared ${countOf(done.compared, 'request')} of ${countOf(done.buyers, 'buyer')}: ` +
          `${formatCount(done.stamped)} got a new stamp.`,
      );
    });
  await interruptible('Interrupted.', work);
}

/** Shows the progress of a rebuild, and remembers how to continue it. */
class RebuildProgressLine implements RebuildProgress {
  #done = '';
  /** The command that continues this rebuild; undefined until `begin` is called. */
  #commandToContinue: string | undefined;
  readonly #line = new ProgressLine();
  #buyers = 0;
  #isWaiting = false;

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
  }

  waiting(remainingMs: number): void {
    // The line counts seconds, and every rebuild waits for the next millisecond.
    if (remainingMs < 1_000) return;
    const seconds = formatCount(Math.ceil(remainingMs / 1_000));
    const step = `waiting ${seconds} s until the database's clock has passed that time`;
    if (this.#isWaiting) this.#line.update(step);
    else this.#line.wait(step);
    this.#isWaiting = true;
  }

  advance({ buyers, compared, stamped }: RebuildSummary): void {
    const share = `${formatCount(buyers)} of ${formatCount(this.#buyers)} buyers are done`;
    this.#done = `${countOf(compared, 'request')} compared, ${formatCount(stamped)} stamped, ${share}.`;
    this.#line.update(this.#done, buyers / Math.max(this.#buyers, 1));
  }

  end(): void {
    this.#line.end();
  }

  /** Returns the error of a rebuild that has begun, with what is done and how to continue. */
  errorWithNext(error: unknown, text: string | undefined): unknown {
    if (this.#commandToContinue === undefined) return error;
    const next = `To continue, run \`${this.#commandToContinue}\`.`;
    const message = [text, this.#done, next].filter(Boolean).join(' ');
    if (error instanceof InterruptedError) return new InterruptedError(message, error.exitCode);
    return new CommandError(message, { cause: error });
  }
}

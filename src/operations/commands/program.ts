import { Command, CommanderError, Help, InvalidArgumentError } from 'commander';
import { PACKAGE_VERSION } from '../../config/package-version.js';
import { parseIsoTime } from '../../kernel/iso-time.js';
import { CLIENT_ID, READ_SCOPE } from '../../kernel/principal.js';
import { parseUuid } from '../../kernel/uuid.js';
import { runApprovals } from './approvals.js';
import { runApprove } from './approve.js';
import { CommandError, printNote } from './command-line.js';
import { runDistribute } from './distribute.js';
import { runErase } from './erase.js';
import { runExport } from './export.js';
import { failureText } from './failure-text.js';
import { runImport } from './import.js';
import { runMigrate } from './migrate.js';
import { runPrune } from './prune.js';
import { runRebuild } from './rebuild.js';
import { runRevoke } from './revoke.js';
import { runServe } from './serve.js';
import { runSession } from './session.js';
import { runToken } from './token.js';

/** Ten years: more than any development session needs. */
const MAX_TTL_SECONDS = 315_360_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BUYER = '--buyer 00000000-0000-4000-8000-000000000001';
const ASSISTANT_EXAMPLE = `${BUYER} --client assistant-1`;

const ENVIRONMENT = `Environment:
  DATABASE_URL  the database: postgres://user:password@host:5432/deal_sets (.env.example lists all settings)`;

/** Parses an id and returns it in lower case, as the service writes ids. */
function uuid(text: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a UUID.');
  return id;
}

function clientId(text: string): string {
  if (CLIENT_ID.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 256 printable ASCII characters without blanks.');
}

function ttlSeconds(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MAX_TTL_SECONDS) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_TTL_SECONDS}.`);
}

function dayCount(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0 to 99999.');
}

const ISO_TIME = 'ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z';

/** Parses a time to milliseconds since 1970. */
function isoTime(text: string): number {
  const epochMs = parseIsoTime(text);
  if (epochMs !== null) return epochMs;
  throw new InvalidArgumentError(`It must be an ${ISO_TIME}.`);
}

/**
 * Parses when something ends: a number of hours (`12h`) or days (`90d`) from now, or a time.
 *
 * @throws {InvalidArgumentError} for any other text, and for a time that has passed.
 */
function endTime(text: string): Date {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const nowMs = Date.now();
  const endMs =
    count === undefined
      ? parseIsoTime(text)
      : nowMs + Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  if (endMs === null) {
    throw new InvalidArgumentError(
      `It must be days or hours, such as 90d or 12h, or an ${ISO_TIME}.`,
    );
  }
  if (endMs <= nowMs) throw new InvalidArgumentError('It must be in the future.');
  return new Date(endMs);
}

function createProgram(): Command {
  const program = new Command('deal-sets')
    .description("Read API for a car buyer's price requests, and the commands to operate it")
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureHelp({
      optionDescription: (option) => {
        const description = new Help().optionDescription(option);
        return option.mandatory ? `${description} (required)` : description;
      },
    })
    .configureOutput({
      // Keeps an error and its suggestion on one line.
      outputError: (text, write) => write(`${text.trim().split(/\s+/).join(' ')}\n`),
    });
  const command = (name: string, description: string, examples: string[], note = ''): Command =>
    program
      .command(name)
      .description(description)
      .addHelpText(
        'after',
        `${note && `\n${note}\n`}\n${ENVIRONMENT}\n\nExamples:\n  ${examples.join('\n  ')}`,
      );

  command('serve', 'serve the API', ['deal-sets serve', 'PORT=8080 deal-sets serve']).action(
    runServe,
  );
  command('migrate', 'apply pending migrations and the current code of sql/', [
    'deal-sets migrate',
    'deal-sets migrate --check',
  ])
    .option('--check', 'change nothing; fail if anything is pending')
    .option('--downgrade', 'also replace the code of a newer version')
    .action(runMigrate);
  command(
    'rebuild',
    'recompute what the triggers maintain, buyer by buyer',
    ['deal-sets rebuild', 'deal-sets rebuild --restamp --after 2026-10-14T16:00:00Z'],
    'Run it after an upgrade that changes the rules for these rows (readiness then reports "pending": "rebuild"),\n' +
      'or to repair rows. The service can run meanwhile. Requests that look different to clients get a new stamp\n' +
      'and are returned by the next poll; all others keep their stamps. You can interrupt it and run it again.\n\n' +
      'With --restamp, every request gets a new stamp, so that each client receives everything once more. This is\n' +
      'the last step of a restore, or of a failover to a server whose clock is behind. --after is the latest time\n' +
      "that the old server may have returned as Service-As-Of; stamping begins when the database's clock has passed\n" +
      "it. Default: the current time of the database's clock, or the newest stamp if that is later. To continue an\n" +
      'interrupted restamp, run it again with the same --after.',
  )
    .option('--buyer <id>', 'only the requests of one buyer', uuid)
    .option('--restamp', 'give every request a new stamp')
    .option('--after <time>', 'stamp only requests whose stamp is not after this time', isoTime)
    .action(runRebuild);
  command(
    'distribute',
    'distribute a migrated database over the workers of a Citus cluster',
    ['deal-sets distribute', 'deal-sets distribute --check'],
    'Run it on the coordinator while the service and the writers are stopped, and again after adding a worker or\n' +
      'a login. docs/scaling.md describes when to use it and what it costs.',
  )
    .option('--check', 'change nothing; fail if anything is missing, and list where')
    .action(runDistribute);
  command(
    'import',
    'load an import file (NDJSON), completely or not at all',
    [
      'deal-sets import requests.ndjson',
      'deal-sets import --dry-run requests.ndjson',
      'zcat history.ndjson.gz | deal-sets import --backfill -',
    ],
    'docs/import-format.md describes the records, their keys and their rules.',
  )
    .argument('[file]', 'the file, or - for standard input')
    .option('--schema', 'print the JSON Schema of a line, and load nothing')
    .option('--dry-run', 'check everything and keep nothing')
    .option('--backfill', 'load history: latestActivityAt becomes the stamp of a request')
    .option('--restore-erased', 'also load the records of erased buyers')
    .action(runImport);
  command(
    'token',
    'print an access token from the development issuer (the demo shows one at /curl)',
    [`deal-sets token ${ASSISTANT_EXAMPLE}`],
  )
    .requiredOption('--buyer <id>', 'the buyer whose requests the token can read', uuid)
    .requiredOption('--client <id>', 'the assistant that the token is issued to', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces, in quotes', READ_SCOPE)
    .option('--ttl <seconds>', 'how long the token is valid', ttlSeconds, 3600)
    .action(runToken);
  command(
    'approve',
    'record that a buyer approved an assistant',
    [
      `deal-sets approve ${ASSISTANT_EXAMPLE}`,
      `deal-sets approve ${ASSISTANT_EXAMPLE} --expires 90d`,
    ],
    'The default grant store reads these grants. An earlier approval of the same assistant is replaced.\n' +
      'If that approval was revoked or has expired, tokens that were issued before this one stay rejected.',
  )
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .requiredOption('--client <id>', 'the assistant', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces, in quotes', READ_SCOPE)
    .option('--hosted', 'the assistant runs on a server of its provider')
    .option(
      '--expires <when>',
      'when the approval ends: days or hours from now (90d, 12h), or an ISO 8601 time; default: never',
      endTime,
    )
    .action(runApprove);
  command('approvals', "list a buyer's approvals of assistants, including those that have ended", [
    `deal-sets approvals ${BUYER}`,
    `deal-sets approvals ${BUYER} --json`,
  ])
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--json', 'print a JSON array')
    .action(runApprovals);
  command('session', 'create a website session and print its cookie header line', [
    `curl -H "$(deal-sets session ${BUYER})" \\\n    http://localhost:3000/api/v1/deal-sets`,
  ])
    .requiredOption('--buyer <id>', 'the buyer who is signed in', uuid)
    .option('--ttl <seconds>', 'how long the session is valid', ttlSeconds, 3600)
    .action(runSession);
  command('revoke', "revoke an assistant's grant, or all of a buyer's sessions, at once", [
    `deal-sets revoke ${ASSISTANT_EXAMPLE}`,
    `deal-sets revoke ${BUYER} --sessions`,
  ])
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--client <id>', 'the assistant whose grant is revoked', clientId)
    .option('--sessions', 'revoke every session')
    .action(runRevoke);
  command(
    'prune',
    'delete sessions that expired long ago',
    ['deal-sets prune', 'deal-sets prune --days 7'],
    'Revoked approvals are kept, so that an import does not reactivate them.',
  )
    .option(
      '--days <number>',
      'delete sessions that expired more than this many days ago',
      dayCount,
      30,
    )
    .action(runPrune);
  command('erase', 'remove everything stored about a buyer', [`deal-sets erase ${BUYER}`])
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--yes', 'skip the confirmation')
    .action(runErase);
  command(
    'export',
    'write everything that is stored as an import file to standard output',
    ['deal-sets export > everything.ndjson', `deal-sets export ${BUYER} > anna.ndjson`],
    'The file contains personal data and sessions. `deal-sets import --backfill` loads it into another database.',
  )
    .option('--buyer <id>', 'only the data of one buyer', uuid)
    .action(runExport);
  return program;
}

/**
 * Runs the command line.
 *
 * @returns the exit code, 0 only on success. Failures have been printed to standard error by then.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    const text = failureText(error);
    if (text !== undefined) printNote(text);
    return error instanceof CommanderError || error instanceof CommandError ? error.exitCode : 1;
  }
}

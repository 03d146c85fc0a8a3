import { Command, CommanderError, Help, InvalidArgumentError } from 'commander';
import { PACKAGE_VERSION } from '../../config/package-version.js';
import { loadSettings } from '../../config/settings.js';
import { parseIsoTime } from '../../kernel/iso-time.js';
import { CLIENT_ID, READ_SCOPE } from '../../kernel/principal.js';
import { parseUuid } from '../../kernel/uuid.js';
import { explain, revoke, session, token } from './access.js';
import { runApprovals, runApprove } from './approvals.js';
import { erase, runExport } from './buyer-data.js';
import { CommandError, printNote } from './command-line.js';
import { failureText } from './failure-text.js';
import { runImport } from './import.js';
import { runPrune } from './prune.js';
import { runRestamp } from './restamp.js';
import { runDistribute, runMigrate, runRebuild } from './schema.js';

/** Ten years: more than any development session needs. */
const MAX_TTL_SECONDS = 315_360_000;
const BUYER = '--buyer 00000000-0000-4000-8000-000000000001';
const ASSISTANT_EXAMPLE = `${BUYER} --client assistant-1`;

const ENVIRONMENT = `Environment:
  DATABASE_URL  the database: postgres://user:password@host:5432/deal_sets (.env.example lists all settings)`;

/** Parses an id; lower case, as the service writes ids. */
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

/** Parses a time to milliseconds since 1970. */
function isoTime(text: string): number {
  const epochMs = parseIsoTime(text);
  if (epochMs !== null) return epochMs;
  throw new InvalidArgumentError(
    'It must be an ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z.',
  );
}

async function serve(): Promise<void> {
  const settings = loadSettings();
  if (settings.database.url === undefined && settings.database.readerUrl === undefined) {
    throw new CommandError(
      'DATABASE_URL: expected to be set, to the PostgreSQL that is served. To try the service without one: npm run demo.',
    );
  }
  // Loaded here, because the other commands start a third faster without the framework.
  const { startService } = await import('../../start-service.js');
  await startService({ settings });
}

function createProgram(): Command {
  const program = new Command('deal-sets')
    .description("Read API for a car buyer's price requests, and what operating it needs")
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureHelp({
      optionDescription: (option) => {
        const description = new Help().optionDescription(option);
        return option.mandatory ? `${description} (required)` : description;
      },
    })
    .configureOutput({
      // An error remains one line, including its suggestion.
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, ' ')}\n`),
    });
  const command = (name: string, description: string, examples: string[], note = ''): Command =>
    program
      .command(name)
      .description(description)
      .addHelpText(
        'after',
        `${note && `\n${note}\n`}\n${ENVIRONMENT}\n\nExamples:\n  ${examples.join('\n  ')}`,
      );

  command('serve', 'serve the API', ['deal-sets serve', 'PORT=8080 deal-sets serve']).action(serve);
  command('migrate', 'apply pending migrations and bring the code of sql/ into force', [
    'deal-sets migrate',
    'deal-sets migrate --check',
  ])
    .option('--check', 'change nothing; fail when something is pending')
    .option('--downgrade', 'also when the code in force is that of a newer version')
    .action(runMigrate);
  command(
    'rebuild',
    'compute anew what the triggers keep, buyer by buyer',
    ['deal-sets rebuild'],
    'Run it after a version that shows something by other rules (readiness says "pending": "rebuild"), or for\n' +
      'repair; the service runs meanwhile. Requests of which a client sees something else come with its next poll,\n' +
      'all others stay where they are. It can be ended at any time and run again.',
  ).action(runRebuild);
  command(
    'restamp',
    'stamp every request anew, buyer by buyer, so that each client receives everything once',
    ['deal-sets restamp', 'deal-sets restamp --after 2026-10-14T16:00:00Z'],
    'Run it as the last step of a restore, and of a failover to a server whose clock is behind; the\n' +
      'service runs meanwhile. --after is the last time that the old server may have handed out as\n' +
      "Service-As-Of: stamping begins when the database's clock is past it. Default: the database's\n" +
      'clock now, or the newest stamp where that is later. A restamp that was ended continues when\n' +
      'it is run again with the same --after.',
  )
    .option('--buyer <id>', 'the requests of one buyer alone', uuid)
    .option('--after <time>', 'stamp what has no stamp after this time', isoTime)
    .action(runRestamp);
  command(
    'distribute',
    'distribute a migrated database over the workers of a Citus cluster',
    ['deal-sets distribute', 'deal-sets distribute --check'],
    'Run it at the coordinator, with the service and the writers stopped, and again when a worker or a login was\n' +
      'added. docs/scaling.md says when, and what it costs.',
  )
    .option('--check', 'change nothing; fail when something is missing, and say where')
    .action(runDistribute);
  command(
    'import',
    'load an import file (NDJSON): all of it, or nothing',
    [
      'deal-sets import requests.ndjson',
      'deal-sets import --dry-run requests.ndjson',
      'zcat history.ndjson.gz | deal-sets import --backfill -',
    ],
    'The records, their keys and the rules are described in docs/import-format.md.',
  )
    .argument('<file>', 'the file; - is standard input')
    .option('--dry-run', 'check everything and keep nothing')
    .option('--backfill', 'load history: latestActivityAt decides the place in the feed')
    .option('--restore-erased', 'load the records of buyers who were erased, too')
    .action(runImport);
  command(
    'token',
    'print an access token from the development issuer (a demo gives its own at /curl)',
    [`deal-sets token ${ASSISTANT_EXAMPLE}`],
  )
    .requiredOption('--buyer <id>', 'the buyer that the token speaks for', uuid)
    .requiredOption('--client <id>', 'the assistant that holds the token', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces', READ_SCOPE)
    .option('--ttl <seconds>', 'how long it is good', ttlSeconds, 3600)
    .action(token);
  command(
    'approve',
    'record that a buyer approved an assistant',
    [`deal-sets approve ${ASSISTANT_EXAMPLE}`],
    'It writes the grants that the shipped grant store reads. An approval of the same assistant is replaced.',
  )
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .requiredOption('--client <id>', 'the assistant', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces', READ_SCOPE)
    .option('--hosted', 'the assistant runs on a server of its provider')
    .action(runApprove);
  command('approvals', "list a buyer's approvals of assistants, revoked ones too", [
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
    .option('--ttl <seconds>', 'how long it is good', ttlSeconds, 3600)
    .action(session);
  command(
    'explain',
    'print whether a call of an assistant would be rejected now, and why',
    [`deal-sets explain ${ASSISTANT_EXAMPLE}`, `deal-sets explain ${ASSISTANT_EXAMPLE} --json`],
    'It uses the settings and the stored approvals. Providers that a host application replaced are not asked.',
  )
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .requiredOption('--client <id>', 'the assistant', clientId)
    .option('--json', 'print a JSON array')
    .action(explain);
  command('revoke', "revoke an assistant's grant, or all of a buyer's sessions, at once", [
    `deal-sets revoke ${ASSISTANT_EXAMPLE}`,
    `deal-sets revoke ${BUYER} --sessions`,
  ])
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--client <id>', 'the assistant whose grant ends', clientId)
    .option('--sessions', 'end every session')
    .action(revoke);
  command(
    'prune',
    'delete sessions that expired long ago',
    ['deal-sets prune', 'deal-sets prune --days 7'],
    'Revoked approvals are kept: an import recognises a revocation by them.',
  )
    .option('--days <number>', 'how many days ago they expired at least', dayCount, 30)
    .action(runPrune);
  command('erase', 'remove everything stored about a buyer', [`deal-sets erase ${BUYER}`])
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--yes', 'do not ask')
    .action(erase);
  command(
    'export',
    'write everything that is stored as an import file to standard output',
    ['deal-sets export > everything.ndjson', `deal-sets export ${BUYER} > anna.ndjson`],
    'The file holds personal data and sessions. `deal-sets import --backfill` loads it into another database.',
  )
    .option('--buyer <id>', 'everything about one buyer alone', uuid)
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
    return error instanceof CommanderError ? error.exitCode : 1;
  }
}

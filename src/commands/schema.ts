import { distributeTables, missingOfDistribution, prepareNodes } from '../database/distribute.js';
import { migrate, pendingChanges, type MigrateSummary } from '../database/migrate.js';
import { rebuild } from '../database/rebuild.js';
import {
  CommandError,
  count,
  notesAtTimes,
  printNote,
  withClient,
  withDatabase,
  withRepositories,
} from './command-line.js';
import { failureText } from './failure-text.js';

interface MigrateFlags {
  readonly check?: boolean;
  readonly downgrade?: boolean;
}

const CODE_NOTES: Readonly<Record<MigrateSummary['code'], string>> = {
  unchanged: 'The code of sql/ is in force.',
  updated: 'Brought the code of sql/ into force.',
  kept: 'Left the code of a newer version in force: --downgrade replaces it with this one.',
};

export function runMigrate({ check, downgrade }: MigrateFlags): Promise<void> {
  return withDatabase(async (dataSource) => {
    if (check) {
      const pending = await pendingChanges(dataSource);
      if (pending.length > 0) {
        throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
      }
      printNote('Nothing is pending.');
      return;
    }
    const { applied, code } = await migrate(dataSource, { mayDowngrade: downgrade ?? false });
    const what =
      applied.length === 0 ? 'No migration was pending' : `Applied ${applied.join(', ')}`;
    printNote(`${what}. ${CODE_NOTES[code]}`);
  });
}

export async function runRebuild(): Promise<void> {
  let progress = '';
  const note = notesAtTimes();
  await withClient(async (client) => {
    const { buyers, compared, changed } = await rebuild(client, {
      onProgress: (done) => {
        progress = `${count(done.buyers)} buyers, ${count(done.compared)} requests`;
        note(`${progress}, ${count(done.changed)} changed`);
      },
    }).catch((error: unknown) => {
      const sentences = [
        failureText(error),
        progress && `${progress} were compared.`,
        'Then run `deal-sets rebuild` again: it goes on, and moves no request a second time.',
      ];
      throw new CommandError(sentences.filter(Boolean).join(' '), { cause: error });
    });
    printNote(
      `Compared ${count(compared)} requests of ${count(buyers)} buyers: ${count(changed)} changed and moved in the feed.`,
    );
  });
}

export async function runDistribute({ check }: { readonly check?: boolean }): Promise<void> {
  if (!check) {
    refuse(await withRepositories(prepareNodes));
    // A session of its own: the settings of a database hold from the next one on.
    await withRepositories(distributeTables);
  }
  refuse(
    await withRepositories((dataSource, { database: { readerUrl, assistantUrl } }) =>
      missingOfDistribution(
        dataSource,
        [readerUrl, assistantUrl].filter((url) => url !== undefined),
      ),
    ),
  );
  printNote('The database is distributed, and nothing is missing on any node.');
}

function refuse(missing: readonly string[]): void {
  if (missing.length > 0) throw new CommandError(`Missing:\n  ${missing.join('\n  ')}`);
}

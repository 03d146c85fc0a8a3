import { Command } from 'commander';

const BUYER = '--buyer 00000000-0000-4000-8000-000000000001';
const ENVIRONMENT = `Environment:
  DATABASE_URL  the database: postgres://user:password@host:5432/deal_sets (.env.example lists all settings)`;

/** What the help of a command contains besides its options. */
interface CommandHelp {
  /** What the command does, in a few words. */
  readonly summary: string;
  /** Uses of the command. `BUYER` is replaced by the option with a buyer's id. */
  readonly examples: readonly string[];
  /** What else an operator must know before using it. */
  readonly note?: string;
}

/**
 * Creates a command, to which its file adds options and action.
 *
 * The file of a command imports what the work needs inside the action, because `--help` of any
 * command loads the files of all.
 */
export function command(name: string, { summary, examples, note }: CommandHelp): Command {
  const lines = examples.map((example) => `  ${example.replaceAll('BUYER', BUYER)}`);
  const paragraph = note === undefined ? '' : `\n${note}\n`;
  const after = `${paragraph}\n${ENVIRONMENT}\n\nExamples:\n${lines.join('\n')}`;
  return new Command(name).description(summary).addHelpText('after', after);
}

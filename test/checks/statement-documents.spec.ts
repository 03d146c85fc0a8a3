import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Statement } from '../../src/database/cancellable-reader.js';
import { readerStatements } from '../../src/deal-sets/queries/deal-set-queries.js';
import { FEED_NEWEST } from '../../src/deal-sets/queries/feed-newest.js';
import { FEED_PROBE } from '../../src/deal-sets/queries/feed-probe.js';
import { REPLIES } from '../../src/deal-sets/queries/replies-statement.js';
import { PRINCIPAL_TYPES } from '../../src/kernel/principal.js';

const FOLDER = path.join(import.meta.dirname, '../../docs/statements');

const STATEMENTS: readonly Statement[] = [
  ...PRINCIPAL_TYPES.flatMap((type) => Object.values<Statement>({ ...readerStatements(type) })),
  REPLIES,
  FEED_PROBE,
  FEED_NEWEST,
];
const fileOf = ({ name = '' }: Statement): string => `${name.replaceAll('_', '-')}.sql`;
const documented = ({ name = '', text }: Statement): string =>
  `-- The statement ${name}, written by \`npm run statements:docs\`.\n${text.replaceAll(/ +$/gm, '')};\n`;

if (process.env['WRITE_STATEMENTS']) {
  mkdirSync(FOLDER, { recursive: true });
  for (const statement of STATEMENTS) {
    writeFileSync(path.join(FOLDER, fileOf(statement)), documented(statement));
  }
}

/** Makes each change of a statement visible in review, and each statement readable as SQL. */
describe('the documents of the statements', () => {
  it.each(STATEMENTS.map((statement) => [fileOf(statement), statement] as const))(
    'contain the present statement: %s',
    (file, statement) => {
      expect(readFileSync(path.join(FOLDER, file), 'utf8')).toBe(documented(statement));
    },
  );

  it('are one for each statement', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(STATEMENTS.map(fileOf).sort());
  });
});

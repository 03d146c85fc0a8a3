import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.resolve(__dirname, '../..');

const FILES = execFileSync('git', ['ls-files'], { cwd: PROJECT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');
const BASENAMES = new Set(FILES.map((file) => path.posix.basename(file)));

/** Names of other systems that the documents use and no code does. */
const FOREIGN_NAMES = new Set([
  // HTTP
  ...['ETag', 'http_502'],
  // PostgreSQL, its tools, and PgBouncer
  ...['RI_', 'hot_standby_feedback', 'random_page_cost', 'archive_timeout'],
  ...['pg_basebackup', 'pg_dump', 'pg_prepared_xacts', 'pg_restore'],
  ...['pg_stat_activity', 'pg_terminate_backend', 'pgpass'],
  ...['server_login_retry'],
  ...['wait_event_type', 'sslcert', 'sslkey'],
  // Node, npm and TypeScript
  ...['NODE_EXTRA_CA_CERTS', 'SCARF_ANALYTICS', 'strictNullChecks'],
  // Citus
  ...['citus_create_restore_point', 'citus_rebalance_start'],
  ...['recover_2pc_interval'],
  // Linux
  ...['sudo', 'img2webp'],
  // Nest, Kubernetes, prom-client, OpenTelemetry and MCP
  ...['enableVersioning', 'enhancedDatabaseReporting'],
  ...['preStop', 'process_', 'AppBridge'],
  // A file that the reader of a document makes
  'copy.mjs',
]);

const read = (file: string): string => readFileSync(path.join(PROJECT, file), 'utf8');

/** A name that only comments use is as stale there as in a document. */
function withoutComments(file: string, text: string): string {
  if (file.endsWith('.sql')) return text.replaceAll(/--.*$/gm, '');
  if (!/\.(ts|js|cjs|mjs)$/.test(file)) return text;
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

const WORD = /[A-Za-z_$][\w$]*/g;
const FOLDER = /^(bench|deploy|docs|examples|migrations|packages|scripts|sql|src|test)(\/|$)/;

const namesOf = (file: string): string[] => withoutComments(file, read(file)).match(WORD) ?? [];

/** The names of the code, the settings and the scripts. */
const ofCode: string[] = [];
/** The names of the tests, which only the guide for contributors may use. */
const ofTests: string[] = [];
for (const file of FILES) {
  const isCode =
    ['.env.example', 'jest.config.js', 'package.json'].includes(file) ||
    (FOLDER.test(file) &&
      !file.startsWith('docs/') &&
      /\.(cjs|conf|js|json|mjs|service|sql|ts|yaml|yml)$/.test(file) &&
      !file.endsWith('package-lock.json'));
  if (!isCode) continue;
  const isTest = /^(test|packages\/[^/]+\/test)\/|\.spec\.ts$/.test(file);
  (isTest ? ofTests : ofCode).push(...namesOf(file));
}
const KNOWN = new Set([...ofCode, ...FOREIGN_NAMES]);
const KNOWN_TO_CONTRIBUTORS = new Set([...KNOWN, ...ofTests, ...BASENAMES]);

/** Returns whether the name is known, or begins a known one: `READ_RATE_` stands for several. */
function isKnown(name: string, known: ReadonlySet<string> = KNOWN): boolean {
  if (known.has(name)) return true;
  return name.endsWith('_') && [...known].some((other) => other.startsWith(name));
}

/** `fooBar`, `FooBar`, `foo_bar` or `FOO_BAR`: a word that is not an English one. */
const hasFormOfName = (word: string): boolean => /[a-z][A-Z]|[A-Za-z]_/.test(word);

/** @param folder the folder of the document, for a path that begins there. */
function isStalePath(file: string, folder = '.'): boolean {
  if (FOLDER.test(file)) {
    // A pattern names several files.
    if (/[*<]/.test(file)) return false;
    return ['.', folder].every((base) => {
      const named = path.posix.join(base, file.replace(/\/$/, ''));
      return !FILES.some((tracked) => tracked === named || tracked.startsWith(`${named}/`));
    });
  }
  return (
    /^[\w.-]+\.(cjs|md|mjs|sql|ts)$/.test(file) && !BASENAMES.has(file) && !FOREIGN_NAMES.has(file)
  );
}

/** Returns the missing names of a quoted text: a path, the names in code, or one word alone. */
function staleIn(quoted: string, document = ''): string[] {
  if (isStalePath(quoted, path.posix.dirname(document))) return [quoted];
  if (FOLDER.test(quoted)) return [];
  const known = document === 'CONTRIBUTING.md' ? KNOWN_TO_CONTRIBUTORS : KNOWN;
  const words = quoted.match(WORD) ?? [];
  return words.filter(
    (word) =>
      // A word in capitals is a keyword of SQL or a code of another system.
      !/^[A-Z]+$/.test(word) && (hasFormOfName(word) || word === quoted) && !isKnown(word, known),
  );
}

const quotedIn = (text: string): string[] =>
  Array.from(text.matchAll(/`([^`\n]+)`/g), ([, quoted = '']) => quoted);

const DOCUMENTS = FILES.filter((file) =>
  /^(docs\/((decisions|operations)\/)?[^/]+|README|CONTRIBUTING|packages\/[^/]+\/README)\.md$/.test(
    file,
  ),
);
/** What a document quotes outside of its blocks of code. */
const quotedInProse = (file: string): string[] =>
  quotedIn(read(file).replaceAll(/^ *```[^]*?^ *```/gm, ''));
const SQL_FILES = FILES.filter((file) => /^sql\/.*\.sql$/.test(file));
const commentsOf = (file: string): string => (read(file).match(/--.*$/gm) ?? []).join('\n');

describe('names between backticks', () => {
  it.each(DOCUMENTS)('exist in the code: %s', (file) => {
    const stale = quotedInProse(file).flatMap((quoted) => staleIn(quoted, file));
    expect([...new Set(stale)]).toEqual([]);
  });

  it('of other systems are used, and no code has them', () => {
    const texts = [...DOCUMENTS.flatMap(quotedInProse), ...SQL_FILES.map(commentsOf)];
    const used = new Set([...texts, ...texts.flatMap((text) => text.match(WORD) ?? [])]);
    const code = new Set(ofCode);
    expect([...FOREIGN_NAMES].filter((name) => !used.has(name) || code.has(name))).toEqual([]);
  });
});

describe('scripts of npm', () => {
  /** An example or a package can have scripts of its own. */
  const manifests = FILES.filter((file) => path.posix.basename(file) === 'package.json');
  const known = manifests.flatMap((file) => {
    const { scripts = {} } = JSON.parse(read(file)) as { scripts?: object };
    return Object.keys(scripts);
  });

  it('exist wherever a file runs them', () => {
    const stale = FILES.filter((file) => !file.endsWith('.webp')).flatMap((file) => {
      const uses = read(file).matchAll(/\bnpm run (?:-s |--silent )*([a-z][\w:-]*)/g);
      const names = Array.from(uses, ([, name = '']) => name);
      return names.filter((name) => !known.includes(name)).map((name) => `${file}: ${name}`);
    });
    expect(stale).toEqual([]);
  });
});

describe('names in comments of the SQL code', () => {
  it.each(SQL_FILES)('exist in the code: %s', (file) => {
    const comments = commentsOf(file);
    const paths = (comments.match(/[\w./-]+\w/g) ?? []).filter((word) => isStalePath(word));
    const names = (comments.match(WORD) ?? []).filter((word) => hasFormOfName(word));
    const stale = names.filter((name) => !isKnown(name) && !BASENAMES.has(name));
    const quoted = quotedIn(comments).flatMap((text) => staleIn(text));
    expect([...new Set([...paths, ...stale, ...quoted])]).toEqual([]);
  });
});

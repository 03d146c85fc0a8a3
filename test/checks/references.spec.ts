import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.resolve(__dirname, '../..');

const FILES = execFileSync('git', ['ls-files'], { cwd: PROJECT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');
const BASENAMES = new Set(FILES.map((file) => path.posix.basename(file)));

/** Names of other systems that the documents use and no code does. Keep the list short. */
const FOREIGN_NAMES = new Set([
  // HTTP
  ...['ETag', 'OPTIONS', 'Range'],
  // PostgreSQL, its tools, and PgBouncer
  ...['CREATEROLE', 'NOCREATEROLE', 'RI_', 'TRUNCATE', 'hot_standby_feedback', 'random_page_cost'],
  'archive_timeout',
  ...[
    'pg_authid',
    'pg_dump',
    'pg_hba',
    'pg_prepared_xacts',
    'pg_restore',
    'pg_stat_activity',
    'pg_terminate_backend',
  ],
  ...['max_prepared_statements', 'query_wait_timeout', 'server_tls_sslmode', 'wait_event_type'],
  ...['hostssl', 'sslcert', 'sslkey'],
  // Node, npm and TypeScript
  ...['NODE_EXTRA_CA_CERTS', 'SCARF_ANALYTICS', 'strictNullChecks'],
  // Citus
  ...['citus_create_restore_point', 'citus_rebalance_start'],
  ...['recover_2pc_interval', 'recover_prepared_transactions'],
  // systemd and Compose
  ...['LimitNOFILE', 'ulimits'],
  // Nest, Node, Kubernetes, prom-client and OpenTelemetry
  ...[
    'CacheInterceptor',
    'CacheKey',
    'enableVersioning',
    'enhancedDatabaseReporting',
    'nodejs_eventloop_lag_p99_seconds',
    'preStop',
    'process_',
    'writev',
  ],
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

/**
 * The names that documents may use: of the code without its tests, the settings and the scripts.
 */
const NAMES: readonly string[] = [
  ...new Set(
    FILES.filter(
      (file) =>
        ['.env.example', 'jest.config.js', 'package.json'].includes(file) ||
        (FOLDER.test(file) &&
          !/^(docs|test|packages\/[^/]+\/test)\//.test(file) &&
          /\.(cjs|conf|js|json|mjs|sql|ts|yaml|yml)$/.test(file) &&
          !/(\.spec\.ts|package-lock\.json)$/.test(file)),
    ).flatMap((file) => withoutComments(file, read(file)).match(WORD) ?? []),
  ),
];
const KNOWN = new Set([...NAMES, ...FOREIGN_NAMES]);

/** Returns whether the name is known, or begins a known one: `READ_RATE_` stands for several. */
function isKnown(name: string): boolean {
  if (KNOWN.has(name)) return true;
  return name.endsWith('_') && [...KNOWN].some((known) => known.startsWith(name));
}

/** `fooBar`, `FooBar`, `foo_bar` or `FOO_BAR`: a word that is not an English one. */
const hasFormOfName = (word: string): boolean => /[a-z][A-Z]|[A-Za-z]_/.test(word);

function isStalePath(file: string): boolean {
  if (FOLDER.test(file)) {
    // A pattern names several files.
    if (file.includes('*')) return false;
    const folder = `${file.replace(/\/$/, '')}/`;
    return !FILES.some((tracked) => tracked === file || tracked.startsWith(folder));
  }
  return /^[\w.-]+\.(cjs|md|mjs|sql|ts)$/.test(file) && !BASENAMES.has(file);
}

/** Returns the missing names of a quoted text: a path, the names in code, or one word alone. */
function staleIn(quoted: string): string[] {
  if (isStalePath(quoted)) return [quoted];
  if (FOLDER.test(quoted)) return [];
  const words = quoted.match(WORD) ?? [];
  return words.filter((word) => (hasFormOfName(word) || word === quoted) && !isKnown(word));
}

const quotedIn = (text: string): string[] =>
  Array.from(text.matchAll(/`([^`\n]+)`/g), ([, quoted = '']) => quoted);

describe('names between backticks', () => {
  const documents = FILES.filter((file) => /^docs\/(decisions\/)?[^/]+\.md$/.test(file));

  it.each(documents)('exist in the code: %s', (file) => {
    const prose = read(file).replaceAll(/^```[^]*?^```/gm, '');
    expect([...new Set(quotedIn(prose).flatMap(staleIn))]).toEqual([]);
  });
});

describe('names in comments of the SQL code', () => {
  const sql = FILES.filter((file) => /^sql\/.*\.sql$/.test(file));

  it.each(sql)('exist in the code: %s', (file) => {
    const comments = (read(file).match(/--.*$/gm) ?? []).join('\n');
    const paths = (comments.match(/[\w./-]+\w/g) ?? []).filter(isStalePath);
    const names = (comments.match(WORD) ?? []).filter((word) => hasFormOfName(word));
    const stale = names.filter((name) => !isKnown(name) && !BASENAMES.has(name));
    expect([...new Set([...paths, ...stale, ...quotedIn(comments).flatMap(staleIn)])]).toEqual([]);
  });
});

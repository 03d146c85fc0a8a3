import * as z from 'zod';
import type { SettingRow } from './settings-table.js';

/**
 * Thrown when settings are not valid. The message has one line for each wrong setting, with its
 * name and what was expected.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param lines must not contain a setting's value: it may be a secret in the wrong variable. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** A setting that contradicts others, by its path, and what is expected of it. */
export type Conflict = readonly [path: string, expected: string];

/** Where settings come from. */
export interface SettingsSource {
  /** The values, in the form of the options. */
  readonly values: unknown;
  /** Returns the name of the setting at a path of the options, for messages. */
  readonly nameOf: (path: string) => string;
}

/** A row of a table, with its place in the options, such as `database.url`. */
interface PlacedRow extends SettingRow {
  readonly path: string;
  /** The default; undefined if there is none. */
  readonly byDefault: unknown;
  /** Whether its group is not valid without it. */
  readonly isRequired: boolean;
}

/** Stands for the flag in the path of the row `ROLLOUT_<FLAG>`. */
const ANY_FLAG = '<flag>';

/** Returns the rows of a table and of its groups, in the order in which they are written. */
export function rowsOf(table: z.ZodType, parents: readonly string[] = []): PlacedRow[] {
  const meta = table.meta() as SettingRow | undefined;
  if (meta) {
    const byDefault = table instanceof z.ZodPrefault ? table.def.defaultValue : undefined;
    const isRequired = byDefault === undefined && !(table instanceof z.ZodOptional);
    return [{ ...meta, path: parents.join('.'), byDefault, isRequired }];
  }
  if (!(table instanceof z.ZodObject)) {
    return rowsOf((table as z.ZodReadonly<z.ZodType>).unwrap(), parents);
  }
  const { shape, catchall } = table.def as { shape: z.ZodRawShape; catchall?: z.ZodType };
  const fields = Object.entries(shape as Record<string, z.ZodType>);
  // The schema that rejects unknown options has no row.
  if (catchall?.meta()) fields.push([ANY_FLAG, catchall]);
  return fields.flatMap(([name, field]) => rowsOf(field, [...parents, name]));
}

/** Returns the source of typed options. */
export function optionsSource(options: unknown): SettingsSource {
  return { values: options, nameOf: (path) => path };
}

/**
 * Returns the source of an environment. An empty variable counts as unset.
 *
 * @param prefix the prefix of every variable except `NODE_ENV`, which describes the process.
 */
export function environmentSource(
  table: z.ZodType,
  env: NodeJS.ProcessEnv,
  prefix = '',
): SettingsSource {
  const values: Group = {};
  const names = new Map<string, string>();
  for (const { path, variable } of rowsOf(table)) {
    const prefixed = variable === 'NODE_ENV' ? variable : prefix + variable;
    for (const [name, flag] of variablesOf(prefixed, env)) {
      const flagPath = path.replace(ANY_FLAG, flag);
      names.set(flagPath, name);
      const text = env[name]?.trim();
      if (text) setAt(values, flagPath.split('.'), text);
    }
  }
  return { values, nameOf: (path) => names.get(path) ?? path };
}

/**
 * Returns the environment variables that belong to a row: one, or for `ROLLOUT_<FLAG>` one for each
 * flag in the environment.
 */
function variablesOf(variable: string, env: NodeJS.ProcessEnv): [name: string, flag: string][] {
  const [prefix = '', isOfFlags] = variable.split(ANY_FLAG.toUpperCase());
  if (isOfFlags === undefined) return [[variable, '']];
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && FLAG.test(name.slice(prefix.length)))
    .map((name) => [name, name.slice(prefix.length).toLowerCase()]);
}

const FLAG = /^[A-Z][A-Z0-9_]*$/;

interface Group {
  [name: string]: unknown;
}

function setAt(group: Group, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) group[name] = value;
  else setAt((group[name] ??= {}) as Group, rest, value);
}

/**
 * Checks settings against a table.
 *
 * @param conflictsOf the rules that involve several settings. They apply only if each setting is
 *   valid by itself. `nameOf` returns the name of a setting by its path.
 * @throws {SettingsError} with one line for each wrong or unknown setting.
 */
export function checkSettings<T>(
  table: z.ZodType<T>,
  { values, nameOf }: SettingsSource,
  conflictsOf: (settings: T, nameOf: SettingsSource['nameOf']) => Iterable<Conflict>,
): T {
  const { data, error } = table.safeParse(values, { reportInput: true });
  const rows = rowsOf(table);
  const conflicts = error
    ? error.issues.flatMap((issue) => conflictsOfIssue(issue, rows, nameOf))
    : [...conflictsOf(data, nameOf)];
  // A list can be wrong in several entries.
  const lines = new Set(
    conflicts.map(([path, expected]) => `${nameOf(path)}: expected ${expected}`),
  );
  if (lines.size > 0) throw new SettingsError([...lines]);
  return data as T;
}

/** Returns the settings that an issue of the library concerns, with what is expected of them. */
function conflictsOfIssue(
  issue: z.core.$ZodIssue,
  rows: readonly PlacedRow[],
  nameOf: SettingsSource['nameOf'],
): Conflict[] {
  const path = issue.path.join('.');
  const row = rows.find((other) => isWithin(path, other.path));
  if (!row) {
    if (issue.code !== 'unrecognized_keys') return [[path, 'an object with settings']];
    return issue.keys.map((key) => [[...issue.path, key].join('.'), 'an option of the settings']);
  }
  const settingPath = issue.path.slice(0, row.path.split('.').length).join('.');
  if (issue.input !== undefined) return [[settingPath, issue.message]];
  const group = row.path.slice(0, row.path.lastIndexOf('.') + 1);
  const together = rows
    .filter((other) => other.isRequired && other.path.startsWith(group))
    .map((other) => nameOf(other.path));
  return [[settingPath, `to be set, because ${together.join(', ')} go together: all or none`]];
}

/** Returns whether a path is that of a row, or lies within its value, such as an entry of a list. */
function isWithin(path: string, rowPath: string): boolean {
  const names = path.split('.');
  return rowPath
    .split('.')
    .every((name, index) => name === names[index] || (name === ANY_FLAG && index < names.length));
}

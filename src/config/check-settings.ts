import * as z from 'zod';
import { ROWS, type SettingRow } from './settings-table.js';

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
  /** Returns the name of a setting in this source, for messages. */
  readonly nameOf: (path: string, row?: SettingRow) => string;
  /** Returns what is expected of a setting in this source. */
  readonly expectedOf: (row: SettingRow) => string;
}

/** A row of a table, with its place in the options, such as `database.url`. */
interface PlacedRow extends SettingRow {
  readonly path: string;
}

/** Placeholders for the flag in the path and in the variable of the row `ROLLOUT_<FLAG>`. */
const ANY = { path: '<flag>', variable: '<FLAG>' };

/** Returns the rows of a table and of its groups, in the order in which they are written. */
export function rowsOf(table: z.core.$ZodType, parents: readonly string[] = []): PlacedRow[] {
  const row = ROWS.get(table);
  if (row) return [{ ...row, path: parents.join('.') }];
  const { shape, catchall } = groupIn(table).def;
  const fields = Object.entries<z.core.$ZodType>(shape);
  if (catchall && ROWS.has(catchall)) fields.push([ANY.path, catchall]);
  return fields.flatMap(([name, field]) => rowsOf(field, [...parents, name]));
}

/** Returns the object schema inside the wrappers that make it optional or read-only. */
function groupIn(schema: z.core.$ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  return groupIn((schema as z.ZodReadonly).unwrap());
}

/** Returns the source of typed options. */
export function optionsSource(options: unknown): SettingsSource {
  return {
    values: options,
    nameOf: (path) => path,
    expectedOf: ({ expected, expectedOption = expected }) => expectedOption,
  };
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
  const prefixed = (variable: string): string =>
    variable === 'NODE_ENV' ? variable : prefix + variable;
  const values: Group = {};
  for (const { path, variable, fromText } of rowsOf(table)) {
    for (const [name, flag] of variablesOf(prefixed(variable), env)) {
      const text = env[name]?.trim();
      if (text) setAt(values, path.replace(ANY.path, flag).split('.'), fromText(text));
    }
  }
  const nameOf = (path: string, row?: SettingRow): string => {
    const flag = path.slice(path.lastIndexOf('.') + 1).toUpperCase();
    return prefixed((row?.variable ?? path).replace(ANY.variable, flag));
  };
  return { values, nameOf, expectedOf: ({ expected }) => expected };
}

/**
 * Returns the environment variables that belong to a row: one, or for `ROLLOUT_<FLAG>` one for each
 * flag.
 */
function variablesOf(variable: string, env: NodeJS.ProcessEnv): [name: string, flag: string][] {
  if (!variable.endsWith(ANY.variable)) return [[variable, '']];
  const prefix = variable.slice(0, -ANY.variable.length);
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
  source: SettingsSource,
  conflictsOf: (settings: T, nameOf: (path: string) => string) => Iterable<Conflict>,
): T {
  const rows = new Map(rowsOf(table).map((row) => [row.path, row]));
  const nameOf = (path: string): string => source.nameOf(path, rows.get(path));
  const { data, error } = table.safeParse(source.values, { reportInput: true });
  const wrong = error
    ? error.issues.flatMap((issue) => wrongSettings(issue, rows, source))
    : Array.from(
        conflictsOf(data, nameOf),
        ([path, expected]) => [nameOf(path), expected] as const,
      );
  // A list can be wrong in several entries.
  const lines = new Set(wrong.map(([name, expected]) => `${name}: expected ${expected}`));
  if (lines.size > 0) throw new SettingsError([...lines]);
  return data as T;
}

type WrongSetting = readonly [name: string, expected: string];

/**
 * Returns the names of the settings that an issue of the library concerns, with what is expected.
 */
function wrongSettings(
  issue: z.core.$ZodIssue,
  rows: ReadonlyMap<string, PlacedRow>,
  source: SettingsSource,
): WrongSetting[] {
  const names = issue.path.map(String);
  const path = names.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => [[...names, key].join('.'), 'an option of the settings']);
  }
  const row = rowAt(rows, names);
  if (!row) return [[source.nameOf(path), 'an object with settings']];
  const name = source.nameOf(row.path, row);
  if (issue.input !== undefined) return [[name, source.expectedOf(row)]];
  const group = names.slice(0, -1).join('.');
  const together = [...rows.values()]
    .filter((other) => other.isRequired && other.path.startsWith(`${group}.`))
    .map((other) => source.nameOf(other.path, other));
  return [[name, `to be set, because ${together.join(', ')} go together: all or none`]];
}

/**
 * Returns the row of a path, or of the setting above it, such as the list that contains an invalid
 * entry. The path of the row `ROLLOUT_<FLAG>` then contains the flag.
 */
function rowAt(
  rows: ReadonlyMap<string, PlacedRow>,
  names: readonly string[],
): PlacedRow | undefined {
  if (names.length === 0) return undefined;
  const [parents, path] = [names.slice(0, -1), names.join('.')];
  const ofAnyFlag = rows.get([...parents, ANY.path].join('.'));
  return rows.get(path) ?? (ofAnyFlag && { ...ofAnyFlag, path }) ?? rowAt(rows, parents);
}

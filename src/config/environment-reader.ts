import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import type { SettingsSource } from './settings-source.js';

/** Parses the text of one environment variable. */
export interface SettingParser<T> {
  /** Completes the sentence "expected …". It never contains the value. */
  readonly expected: string;
  /**
   * Parses a text.
   *
   * @returns the value, or undefined when the text is not valid.
   */
  readonly parse: (text: string) => T | undefined;
}

/** The name of a variable that is not valid, as used in the source, and what was expected. */
export type WrongSetting = readonly [name: string, expected: string];

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

  /** Creates the error for wrong variables, each with what was expected. */
  static from(wrong: readonly WrongSetting[]): SettingsError {
    return new SettingsError(wrong.map(([name, expected]) => `${name}: expected ${expected}`));
  }
}

/** Variables by their names without the prefix, in lower case. */
export interface VariablesByPrefix<T> {
  readonly values: Readonly<Record<string, T>>;
  /** The variables whose values cannot be parsed. */
  readonly invalid: Readonly<Record<string, WrongSetting>>;
}

/** The path of a file that can be read now. */
export const readableFile: SettingParser<string> = {
  expected: 'the path of a file that can be read',
  parse(path) {
    try {
      accessSync(path, constants.R_OK);
      return statSync(path).isDirectory() ? undefined : path;
    } catch {
      return undefined;
    }
  },
};

/** The name and the parser of each variable of a group. */
type VariableGroup<T> = {
  readonly [K in keyof T]: readonly [name: string, parser: SettingParser<T[K]>];
};

/**
 * Reads variables of an environment and collects those that are wrong, to report all of them at
 * once. An empty value counts as unset.
 */
export class EnvironmentReader {
  readonly #env: NodeJS.ProcessEnv;
  readonly #nameOf: SettingsSource['nameOf'];
  readonly #wrong: WrongSetting[] = [];
  readonly #readNames = new Set<string>();

  /**
   * @param env the texts of the variables, by their names in `.env.example`.
   * @param nameOf returns the name under which a variable was set, for messages.
   */
  constructor(env: NodeJS.ProcessEnv, nameOf: SettingsSource['nameOf']) {
    this.#env = env;
    this.#nameOf = nameOf;
  }

  /**
   * Reads a variable.
   *
   * @returns the parsed value, or the default when the variable is unset or wrong.
   */
  read<T>(name: string, parser: SettingParser<T>): T | undefined;
  read<T>(name: string, parser: SettingParser<T>, defaultValue: T): T;
  read<T>(name: string, parser: SettingParser<T>, defaultValue?: T): T | undefined {
    this.#readNames.add(name);
    const text = this.#env[name]?.trim();
    if (!text) return defaultValue;
    const value = parser.parse(text);
    if (value === undefined) this.#reject(name, parser.expected);
    return value ?? defaultValue;
  }

  /**
   * Reads a value that may be secret: from the variable, or from the file that the variable
   * `<name>_FILE` names.
   *
   * @returns the parsed value, or undefined when both variables are unset or the one that is set is
   *   wrong.
   */
  readSecret<T>(name: string, parser: SettingParser<T>): T | undefined {
    const fileVariable = `${name}_FILE`;
    const value = this.read(name, parser);
    const path = this.read(fileVariable, readableFile);
    if (path === undefined) return value;
    if (this.#isSet(name)) {
      this.#reject(fileVariable, `to be unset, because ${this.#nameOf(name)} is set`);
      return value;
    }
    const fileValue = parser.parse(readFileSync(path, 'utf8').trim());
    if (fileValue === undefined) {
      this.#reject(fileVariable, `a file that contains ${parser.expected}`);
    }
    return fileValue;
  }

  /**
   * Reads variables that must be set together.
   *
   * @param optional variables of the group that may be unset when the others are set.
   * @returns the parsed values, or undefined when no variable of the group is set.
   */
  readAllOrNone<T extends object>(
    group: VariableGroup<T>,
    optional: readonly string[] = [],
  ): Readonly<T> | undefined {
    const variables = Object.entries<readonly [string, SettingParser<unknown>]>(group);
    const names = variables.map(([, [name]]) => name);
    const required = names.filter((name) => !optional.includes(name));
    const missing = required.filter((name) => !this.#isSet(name));
    const values = variables.map(([key, [name, parser]]) => [key, this.read(name, parser)]);
    if (!names.some((name) => this.#isSet(name))) return undefined;
    const together = required.map(this.#nameOf).join(', ');
    for (const name of missing) {
      this.#reject(name, `to be set, because ${together} go together: all or none`);
    }
    return Object.fromEntries(values) as T;
  }

  /**
   * Reads all variables whose names begin with the prefix, except those that are read by name.
   *
   * @param except the variables that are read by name.
   * @param isShared whether the variables may belong to another program. Those that do not parse
   *   are then returned instead of being rejected.
   */
  readByPrefix<T>(
    prefix: string,
    parser: SettingParser<T>,
    except: readonly string[],
    isShared: boolean,
  ): VariablesByPrefix<T> {
    const values: Record<string, T> = {};
    const invalid: Record<string, WrongSetting> = {};
    for (const name of Object.keys(this.#env)) {
      if (!name.startsWith(prefix) || except.includes(name)) continue;
      const key = name.slice(prefix.length).toLowerCase();
      const text = this.#env[name]?.trim();
      if (isShared && text && parser.parse(text) === undefined) {
        invalid[key] = [this.#nameOf(name), parser.expected];
        continue;
      }
      const value = this.read(name, parser);
      if (value === undefined) continue;
      if (name !== name.toUpperCase()) this.#reject(name, this.#nameOf(name.toUpperCase()));
      values[key] = value;
    }
    return { values, invalid };
  }

  /** The names, as they were set, of the variables that have not been read. */
  get unreadVariables(): readonly string[] {
    const unread = Object.keys(this.#env).filter((name) => !this.#readNames.has(name));
    return unread.map((name) => this.#nameOf(name));
  }

  #isSet(name: string): boolean {
    return Boolean(this.#env[name]?.trim());
  }

  #reject(name: string, expected: string): void {
    this.#wrong.push([this.#nameOf(name), expected]);
  }

  /**
   * Checks that no variable is wrong.
   *
   * @param conflicts variables that contradict each other. They are evaluated only if each variable
   *   is valid by itself.
   * @throws {SettingsError} with one line for each wrong variable.
   */
  assertValid(conflicts: Iterable<WrongSetting>): void {
    const wrong = this.#wrong.length > 0 ? this.#wrong : [...conflicts];
    if (wrong.length === 0) return;
    throw SettingsError.from(wrong);
  }
}

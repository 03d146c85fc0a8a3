/** Parses the text of one environment variable. */
export interface SettingParser<T> {
  /** Completes the sentence "expected …". It never contains the value. */
  readonly expected: string;
  /** @returns undefined when the text is not valid. */
  readonly parse: (text: string) => T | undefined;
}

/** A variable that is not valid, and what was expected instead. */
export type WrongSetting = readonly [name: string, expected: string];

/**
 * The environment is not valid. There is one line for each wrong setting, with its name and what
 * was expected.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param lines must not contain a setting's value: it may be a secret in the wrong variable. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** The parser of each variable of a group. */
type VariableGroup<T> = {
  readonly [K in keyof T]: readonly [name: string, parser: SettingParser<T[K]>];
};

/**
 * Reads variables of an environment and collects those that are wrong, to report all of them at once. An empty value
 * counts as unset.
 */
export class EnvironmentReader {
  readonly #env: NodeJS.ProcessEnv;
  readonly #wrong: WrongSetting[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** @returns the parsed value, or the default when the variable is unset or wrong. */
  read<T>(name: string, parser: SettingParser<T>): T | undefined;
  read<T>(name: string, parser: SettingParser<T>, defaultValue: T): T;
  read<T>(name: string, parser: SettingParser<T>, defaultValue?: T): T | undefined {
    const text = this.#env[name]?.trim();
    if (!text) return defaultValue;
    const value = parser.parse(text);
    if (value === undefined) this.#wrong.push([name, parser.expected]);
    return value ?? defaultValue;
  }

  /** @returns variables that are set together, or undefined when none is set. */
  readAllOrNone<T extends object>(group: VariableGroup<T>): Readonly<T> | undefined {
    const variables = Object.entries<readonly [string, SettingParser<unknown>]>(group);
    const names = variables.map(([, [name]]) => name);
    const missing = names.filter((name) => !this.#env[name]?.trim());
    const values = variables.map(([key, [name, parser]]) => [key, this.read(name, parser)]);
    if (missing.length === names.length) return undefined;
    const expected = `to be set, because ${names.join(', ')} go together: all or none`;
    this.#wrong.push(...missing.map((name) => [name, expected] as const));
    return Object.fromEntries(values) as T;
  }

  /**
   * Reads all variables whose names begin with the prefix, except those that are read by name.
   *
   * @returns their values by the rest of their names in lower case.
   */
  readByPrefix<T>(
    prefix: string,
    parser: SettingParser<T>,
    except: readonly string[],
  ): Readonly<Record<string, T>> {
    const values: Record<string, T> = {};
    for (const name of Object.keys(this.#env)) {
      if (!name.startsWith(prefix) || except.includes(name)) continue;
      const value = this.read(name, parser);
      if (value === undefined) continue;
      if (name !== name.toUpperCase()) this.#wrong.push([name, name.toUpperCase()]);
      values[name.slice(prefix.length).toLowerCase()] = value;
    }
    return values;
  }

  /**
   * @param conflicts variables that contradict each other; only looked at when each variable is right by itself.
   * @throws {SettingsError} with one line for each wrong variable.
   */
  assertValid(conflicts: Iterable<WrongSetting>): void {
    const wrong = this.#wrong.length > 0 ? this.#wrong : [...conflicts];
    if (wrong.length === 0) return;
    throw new SettingsError(wrong.map(([name, expected]) => `${name}: expected ${expected}`));
  }
}

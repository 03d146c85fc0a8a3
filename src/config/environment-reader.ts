export interface SettingParser<T> {
  /** Finishes the sentence "expected …". */
  readonly expected: string;
  /** Undefined when the text is not of this form. */
  readonly parse: (text: string) => T | undefined;
}

/** A variable that must change, and what is expected of it. */
export type WrongSetting = readonly [name: string, expected: string];

/** The environment cannot be used: one line for each wrong setting, its name and what is expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param lines never hold a setting's value: it may be a secret in the wrong variable. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** Reads variables, each by its form. An empty one counts as unset; the wrong ones are reported all at once. */
export abstract class EnvironmentReader {
  readonly #env: NodeJS.ProcessEnv;
  readonly #asked = new Set<string>();
  readonly #wrong: WrongSetting[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  protected read<T>(name: string, form: SettingParser<T>): T | undefined;
  protected read<T>(name: string, form: SettingParser<T>, byDefault: T): T;
  protected read<T>(name: string, form: SettingParser<T>, byDefault?: T): T | undefined {
    this.#asked.add(name);
    const text = this.#env[name]?.trim();
    if (!text) return byDefault;
    const value = form.parse(text);
    if (value === undefined) this.#wrong.push([name, form.expected]);
    return value ?? byDefault;
  }

  /** Variables that go together: undefined when none is set. */
  protected readAllOrNone<T extends object>(group: {
    readonly [K in keyof T]: readonly [name: string, form: SettingParser<T[K]>];
  }): Readonly<T> | undefined {
    const variables = Object.entries<readonly [string, SettingParser<unknown>]>(group);
    const names = variables.map(([, [name]]) => name);
    const missing = names.filter((name) => !this.#env[name]?.trim());
    const values = variables.map(([key, variable]) => [key, this.read(...variable)]);
    if (missing.length === names.length) return undefined;
    const expected = `to be set, because ${names.join(', ')} go together: all or none`;
    this.#wrong.push(...missing.map((name) => [name, expected] as const));
    return Object.fromEntries(values) as T;
  }

  /** Variables that begin so and were not read yet, by the rest of their names in lower case. */
  protected readOthers<T>(prefix: string, form: SettingParser<T>): Readonly<Record<string, T>> {
    const others: Record<string, T> = {};
    for (const name of Object.keys(this.#env)) {
      if (!name.startsWith(prefix) || this.#asked.has(name)) continue;
      const value = this.read(name, form);
      if (value === undefined) continue;
      if (name !== name.toUpperCase()) this.#wrong.push([name, name.toUpperCase()]);
      others[name.slice(prefix.length).toLowerCase()] = value;
    }
    return others;
  }

  /** @throws {SettingsError} for variables that were read and wrong; without these for the conflicts. */
  protected assertUsable(conflicts: Iterable<WrongSetting>): void {
    const wrong = this.#wrong.length > 0 ? this.#wrong : [...conflicts];
    if (wrong.length === 0) return;
    throw new SettingsError(wrong.map(([name, expected]) => `${name}: expected ${expected}`));
  }
}

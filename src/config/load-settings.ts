import { publicUrlOf, settingConflicts } from './setting-conflicts.js';
import { rollout } from './setting-forms.js';
import { declarationsOf, variablesOf } from './setting.decorator.js';
import { Settings, type RolloutSetting } from './settings.js';

const ROLLOUT_PREFIX = 'ROLLOUT_';

/** Every variable that {@link Settings} declares. */
export const settingNames: ReadonlySet<string> = new Set(variablesOf(Settings));

/** The environment cannot be used: one line for each wrong setting, its name and what is expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param lines never hold a setting's value: it may be a secret in the wrong variable. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** The environment of this process. Nothing else in the service reads it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}

/**
 * Reads the settings from an environment; an empty value counts as unset.
 *
 * @throws {SettingsError} with one line for each setting that does not parse or contradicts another.
 */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value?.trim()) given.set(name, value.trim());
  }
  const wrong = new Map<string, string>();
  const settings = read(Settings, given, wrong);
  Object.assign(settings.rollout, teamFlags(given, wrong));
  if (wrong.size === 0) {
    Object.assign(settings, { publicUrl: publicUrlOf(settings) });
    for (const [name, expected] of settingConflicts(settings)) wrong.set(name, expected);
  }
  if (wrong.size > 0) {
    throw new SettingsError([...wrong].map(([name, expected]) => `${name}: expected ${expected}`));
  }
  return deepFreeze(settings);
}

/** Variables that do not parse, or are missing in a group, are added to `wrong` with what is expected. */
function read<T extends object>(
  type: new () => T,
  given: ReadonlyMap<string, string>,
  wrong: Map<string, string>,
): T {
  const settings = new type();
  for (const [property, one] of declarationsOf(type)) {
    let value: unknown;
    if ('group' in one) {
      const names = variablesOf(one.group);
      const missing = one.isAllOrNone ? names.filter((name) => !given.has(name)) : [];
      if (missing.length === names.length) continue;
      const expected = `to be set, because ${names.join(', ')} go together: all or none`;
      for (const name of missing) wrong.set(name, expected);
      value = read(one.group, given, wrong);
    } else {
      const text = given.get(one.variable);
      if (text === undefined) continue;
      value = one.form.parse(text);
      if (value === undefined) wrong.set(one.variable, one.form.expected);
    }
    Object.assign(settings, { [property]: value });
  }
  return settings;
}

/** `ROLLOUT_*` variables beside the service's own. Which flags exist is known once the endpoints are. */
function teamFlags(
  given: ReadonlyMap<string, string>,
  wrong: Map<string, string>,
): Record<string, RolloutSetting> {
  const flags: Record<string, RolloutSetting> = {};
  for (const [name, text] of given) {
    if (!name.startsWith(ROLLOUT_PREFIX) || settingNames.has(name)) continue;
    const setting = rollout.parse(text);
    if (name !== name.toUpperCase()) wrong.set(name, name.toUpperCase());
    else if (setting === undefined) wrong.set(name, rollout.expected);
    else flags[name.slice(ROLLOUT_PREFIX.length).toLowerCase()] = setting;
  }
  return flags;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value) as unknown[]) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
}

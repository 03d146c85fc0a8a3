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
  for (const [name, expected] of settingConflicts(settings, given)) {
    if (!wrong.has(name)) wrong.set(name, expected);
  }
  const flags = teamFlags(given, wrong);
  if (wrong.size > 0) {
    throw new SettingsError([...wrong].map(([name, expected]) => `${name}: expected ${expected}`));
  }
  Object.assign(settings, { publicUrl: publicUrlOf(settings) });
  Object.assign(settings.rollout, flags);
  return deepFreeze(settings);
}

/** Text that does not parse becomes null, and its variable is added to `wrong` with what is expected. */
function read<T extends object>(
  type: new () => T,
  given: ReadonlyMap<string, string>,
  wrong: Map<string, string>,
): T {
  const settings = new type();
  for (const one of declarationsOf(type)) {
    let value: unknown;
    if ('group' in one) {
      const isAbsent = one.isAllOrNone && !variablesOf(one.group).some((name) => given.has(name));
      value = isAbsent ? undefined : read(one.group, given, wrong);
    } else {
      const text = given.get(one.variable);
      if (text === undefined) continue;
      value = one.form.parse(text) ?? null;
      if (value === null) wrong.set(one.variable, one.form.expected);
    }
    Object.assign(settings, { [one.property]: value });
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

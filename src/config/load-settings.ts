import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { publicUrlOf, settingConflicts } from './setting-conflicts.js';
import { rollout } from './setting-forms.js';
import { groupsOf, variablesOf } from './setting.decorator.js';
import { Settings, type RolloutSetting } from './settings.js';

const ROLLOUT_PREFIX = 'ROLLOUT_';

/** Every variable the loader reads: those that {@link Settings} and its groups declare. */
export const settingNames: ReadonlySet<string> = new Set(allVariables(Settings));

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
  const given: Record<string, string> = {};
  for (const name of settingNames) {
    const text = env[name]?.trim();
    if (text) given[name] = text;
  }
  const settings = read(Settings, given);
  const wrong = messagesOf(validateSync(settings, { forbidUnknownValues: true }));
  const wrongNames = new Set(wrong.map(nameOf));
  const conflicts = settingConflicts(settings, given).filter(
    (line) => !wrongNames.has(nameOf(line)),
  );
  const teams = readTeamFlags(env);
  const lines = [...wrong, ...conflicts, ...teams.wrong];
  if (lines.length > 0) throw new SettingsError(lines);
  Object.assign(settings, { publicUrl: publicUrlOf(settings) });
  Object.assign(settings.rollout, teams.flags);
  return deepFreeze(settings);
}

function read<T extends object>(type: new () => T, given: Readonly<Record<string, string>>): T {
  const settings = plainToInstance(type, given, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
  });
  for (const group of groupsOf(type)) {
    const isAbsent = group.isAllOrNone && !variablesOf(group.type).some((name) => name in given);
    const value = isAbsent ? undefined : read(group.type, given);
    Object.assign(settings, { [group.property]: value });
  }
  return settings;
}

function allVariables(type: new () => object): string[] {
  return [...variablesOf(type), ...groupsOf(type).flatMap((group) => allVariables(group.type))];
}

function messagesOf(errors: readonly ValidationError[]): string[] {
  return errors.flatMap(({ constraints = {}, children = [] }) => [
    ...Object.values(constraints),
    ...messagesOf(children),
  ]);
}

/** The variable that a message is about. */
function nameOf(message: string): string {
  return message.slice(0, message.indexOf(':'));
}

type Flags = Record<string, RolloutSetting>;

/** `ROLLOUT_*` variables beside the service's own. Which flags exist is known once the endpoints are. */
function readTeamFlags(env: NodeJS.ProcessEnv): { flags: Flags; wrong: string[] } {
  const flags: Flags = {};
  const wrong: string[] = [];
  for (const [name, value = ''] of Object.entries(env)) {
    const text = value.trim();
    if (!name.startsWith(ROLLOUT_PREFIX) || settingNames.has(name) || text === '') continue;
    const setting = rollout.parse(text);
    if (name !== name.toUpperCase()) wrong.push(`${name}: expected ${name.toUpperCase()}`);
    else if (setting === undefined) wrong.push(`${name}: expected ${rollout.expected}`);
    else flags[name.slice(ROLLOUT_PREFIX.length).toLowerCase()] = setting;
  }
  return { flags, wrong };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part))
      deepFreeze(part as object);
  }
  return Object.freeze(value);
}

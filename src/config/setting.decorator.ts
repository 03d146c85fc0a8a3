/** How one setting is read. */
export interface SettingForm<T> {
  /** Finishes the sentence "expected …". */
  readonly expected: string;
  /** The value, or undefined when the text is not of this form. */
  readonly parse: (text: string) => T | undefined;
}

type SettingsClass = new () => object;

/** What a property of a class of settings is: one variable, or a class of settings of its own. */
type Declared =
  | { readonly variable: string; readonly form: SettingForm<unknown> }
  | { readonly group: SettingsClass; readonly isAllOrNone: boolean };

const declarations = new Map<SettingsClass, Map<string, Declared>>();

function declares(declared: Declared): PropertyDecorator {
  return (target, property) => {
    const type = target.constructor as SettingsClass;
    declarations.set(type, new Map(declarationsOf(type)).set(String(property), declared));
  };
}

/** What a class of settings declares, by property. */
export function declarationsOf(type: SettingsClass): ReadonlyMap<string, Declared> {
  return declarations.get(type) ?? new Map<string, Declared>();
}

/** The variables that a class of settings and its groups declare. */
export function variablesOf(type: SettingsClass): string[] {
  return [...declarationsOf(type).values()].flatMap((one) =>
    'group' in one ? variablesOf(one.group) : one.variable,
  );
}

/** Declares a property as the setting that this variable holds; the property's initial value is the default. */
export const Setting = (variable: string, form: SettingForm<unknown>): PropertyDecorator =>
  declares({ variable, form });

/**
 * Declares a property as a class of settings of its own.
 *
 * @param presence with 'all or none' either every variable of the group is set, or none, and then there is no group.
 */
export const SettingGroup = (
  group: SettingsClass,
  presence: 'always' | 'all or none' = 'always',
): PropertyDecorator => declares({ group, isAllOrNone: presence === 'all or none' });

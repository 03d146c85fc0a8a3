/** How one setting is read. */
export interface SettingForm<T> {
  /** Finishes the sentence "expected …". */
  readonly expected: string;
  /** The value, or undefined when the text is not of this form. */
  readonly parse: (text: string) => T | undefined;
}

type SettingsClass = new () => object;

/** A property of a class of settings: one variable, or a class of settings of its own. */
type Declaration =
  | { readonly property: string; readonly variable: string; readonly form: SettingForm<unknown> }
  | { readonly property: string; readonly group: SettingsClass; readonly isAllOrNone: boolean };

const declarations = new Map<SettingsClass, Declaration[]>();

function declare(target: object, declaration: Declaration): void {
  const type = target.constructor as SettingsClass;
  declarations.set(type, [...declarationsOf(type), declaration]);
}

export function declarationsOf(type: SettingsClass): readonly Declaration[] {
  return declarations.get(type) ?? [];
}

/** The variables that a class of settings and its groups declare. */
export function variablesOf(type: SettingsClass): string[] {
  return declarationsOf(type).flatMap((one) =>
    'group' in one ? variablesOf(one.group) : one.variable,
  );
}

/** Declares a property as the setting that this variable holds; the property's initial value is the default. */
export function Setting(variable: string, form: SettingForm<unknown>): PropertyDecorator {
  return (target, property) => declare(target, { property: String(property), variable, form });
}

/**
 * Declares a property as a class of settings of its own.
 *
 * @param presence with 'all or none' either every variable of the group is set, or none, and then there is no group.
 */
export function SettingGroup(
  group: SettingsClass,
  presence: 'always' | 'all or none' = 'always',
): PropertyDecorator {
  const isAllOrNone = presence === 'all or none';
  return (target, property) => declare(target, { property: String(property), group, isAllOrNone });
}

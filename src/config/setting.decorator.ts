import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';

/** How one setting is read. */
export interface SettingForm<T> {
  /** Finishes the sentence "expected …". */
  readonly expected: string;
  /** The value, or undefined when the text is not of this form. */
  readonly parse: (text: string) => T | undefined;
}

type SettingsClass = new () => object;

/** Settings that are a property of other settings. */
export interface Group {
  readonly property: string;
  readonly type: SettingsClass;
  /** True: either every variable of the group is set, or none, and then there is no group. */
  readonly isAllOrNone: boolean;
}

const variables = new Map<object, string[]>();
const groups = new Map<object, Group[]>();

/** The variables that a class of settings declares, those of its groups left out. */
export function variablesOf(type: SettingsClass): readonly string[] {
  return variables.get(type.prototype as object) ?? [];
}

export function groupsOf(type: SettingsClass): readonly Group[] {
  return groups.get(type.prototype as object) ?? [];
}

/**
 * Declares a property as the setting that this variable holds; the property's initial value is the default.
 * Text that does not parse becomes null, which the validation rejects: the text itself is not kept, so
 * that no message can print it.
 */
export function Setting<T>(variable: string, form: SettingForm<T>): PropertyDecorator {
  return applyDecorators(
    (target: object) => add(variables, target, variable),
    Expose({ name: variable }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (form.parse(value) ?? null) : value,
    ),
    ValidateBy({
      name: 'setting',
      validator: {
        validate: (value: unknown) => value !== null,
        defaultMessage: () => `${variable}: expected ${form.expected}`,
      },
    }),
  );
}

/** Declares a property as a class of settings of its own. */
export function SettingGroup(
  type: () => SettingsClass,
  presence: 'always' | 'all or none' = 'always',
): PropertyDecorator {
  return applyDecorators(
    (target: object, property: string | symbol) =>
      add(groups, target, {
        property: String(property),
        type: type(),
        isAllOrNone: presence === 'all or none',
      }),
    ValidateIf((_settings, group) => group !== undefined),
    ValidateNested(),
  );
}

function add<T>(lists: Map<object, T[]>, target: object, item: T): void {
  lists.set(target, [...(lists.get(target) ?? []), item]);
}

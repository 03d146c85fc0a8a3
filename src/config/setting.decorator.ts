import { Expose, Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

const names = new Set<string>();

/** Every setting the loader reads: the properties declared with {@link Setting}. */
export const settingNames: ReadonlySet<string> = names;

/** How one setting is read. */
export interface SettingForm<T> {
  /** Finishes the sentence "expected …". */
  readonly expected: string;
  /** The value, or undefined when the text is not of this form. */
  readonly parse: (text: string) => T | undefined;
}

/**
 * Declares a property as a setting of the same name. Text that does not parse becomes null, which the
 * validation refuses: the text itself is not kept, so that no message can print it.
 */
export function Setting<T>(form: SettingForm<T>): PropertyDecorator {
  return (target, property) => {
    const name = String(property);
    names.add(name);
    Expose()(target, property);
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (form.parse(value) ?? null) : value,
    )(target, property);
    ValidateBy({
      name: 'setting',
      validator: {
        validate: (value: unknown) => value !== null,
        defaultMessage: () => `${name}: expected ${form.expected}`,
      },
    })(target, property);
  };
}

import type { Type } from '@nestjs/common';
import type { FieldType, ScalarType } from './field.js';

/** The TypeScript type of one declared value; for a list, the type of its elements. */
export type FieldElement<Declared extends FieldType> = Declared extends {
  readonly enum: readonly (infer Word)[];
}
  ? Word
  : Declared extends { readonly type: 'text' | 'uuid' | 'time' }
    ? string
    : Declared extends { readonly type: 'boolean' }
      ? boolean
      : Declared extends { readonly type: ScalarType }
        ? number
        : Declared extends { readonly type: () => Type<infer Class> }
          ? Class
          : Declared extends {
                readonly oneOf: { readonly classes: () => readonly Type<infer Class>[] };
              }
            ? Class
            : string | number | boolean;

/** The TypeScript type of a declared field, without null and without absence. */
export type FieldValue<Declared extends FieldType> = Declared extends { readonly isList: true }
  ? readonly FieldElement<Declared>[]
  : FieldElement<Declared>;

/**
 * The reason why a property does not match its declaration, as text for the compiler's error;
 * `never` if it matches. The property must accept no values other than the declared ones, and must
 * allow null or absence exactly if the declaration does.
 */
export type FieldMismatch<Property, Declared extends FieldType> = [
  Declared extends { readonly isOptional: true } ? true : false,
  undefined extends Property ? true : false,
] extends [true, false]
  ? 'This field may be left out of a response: make the property optional (`name?: …`)'
  : [
        Declared extends { readonly isOptional: true } ? true : false,
        undefined extends Property ? true : false,
      ] extends [false, true]
    ? 'The property is optional: declare `isOptional: true`, or remove the `?`'
    : [
          Declared extends { readonly isNullable: true } ? true : false,
          null extends Property ? true : false,
        ] extends [true, false]
      ? 'This field can be null in a response: add `| null` to the type of the property'
      : [
            Declared extends { readonly isNullable: true } ? true : false,
            null extends Property ? true : false,
          ] extends [false, true]
        ? 'The property can be null: declare `isNullable: true`, or use @Withheld'
        : [Exclude<Property, null | undefined>] extends [FieldValue<Declared>]
          ? never
          : 'The type of the property differs from the declaration';

/**
 * A property decorator that compiles only on a property that matches the declaration. Elsewhere the
 * compiler's error ends with the text of `FieldMismatch`.
 */
export type FieldDecorator<Declared extends FieldType> = <
  Target extends object,
  Name extends keyof Target & string,
>(
  target: Target,
  property: [FieldMismatch<Target[Name], Declared>] extends [never]
    ? Name
    : FieldMismatch<Target[Name], Declared>,
) => void;

import type { Type } from '@nestjs/common';
import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import {
  CustomFieldRegistry,
  fieldPath,
  fieldsOf,
  SCALARS,
  type Field,
  type FieldType,
} from './field.js';

/** For whom a response is redacted. */
export type Audience = PrincipalType | 'hosted-assistant';

export function audienceOf(principal: Principal): Audience {
  return matchPrincipal<Audience>(principal, {
    session: () => 'session',
    assistant: ({ isHosted }) => (isHosted ? 'hosted-assistant' : 'assistant'),
  });
}

export type Redact = (value: unknown) => unknown;

/**
 * Composes the redaction of a response for one audience, once. The result is a new plain object with what the
 * declarations let the audience have, field by field: an undeclared property is not copied.
 *
 * @param hidden paths of further fields to hide (`Row.listedAtCents`).
 * @returns a function that throws on a value other than the declared, never with the value in its message.
 */
export function composeRedaction(
  root: Type,
  audience: Audience,
  hidden: ReadonlySet<string> = new Set(),
  added = new CustomFieldRegistry(),
): Redact {
  const isHosted = audience === 'hosted-assistant';
  const principalType = isHosted ? 'assistant' : audience;
  const made = new Map<Type, Redact>();

  function ofClass(dto: Type): Redact {
    const known = made.get(dto);
    if (known) return known;
    const fields: (readonly [name: string, isOptional: boolean, redact: Redact])[] = [];
    const redact: Redact = (value) => {
      if (typeof value !== 'object' || value === null) return rejectValue('an object');
      const given = value as Readonly<Record<string, unknown>>;
      const redacted: Record<string, unknown> = {};
      for (const [name, isOptional, of] of fields) {
        const part = given[name];
        if (part !== undefined || !isOptional) redacted[name] = of(part);
      }
      return redacted;
    };
    // Entered before it is filled, in case it holds itself.
    made.set(dto, redact);
    for (const [name, field] of Object.entries({ ...fieldsOf(dto), ...added.get(dto) })) {
      const of = ofField(field, hidden.has(fieldPath(dto, name)));
      if (of) fields.push([name, field.type.isOptional ?? false, of]);
    }
    return redact;
  }

  /** Undefined: the field is left out. */
  function ofField({ visibility: forms, type }: Field, isHidden: boolean): Redact | undefined {
    const form = forms[principalType];
    if (isHidden) return type.isOptional ? undefined : () => null;
    if (form === 'unless-hosted' && isHosted) return undefined;
    if (form === 'null') return () => null;
    return form === 'false' ? () => false : ofValue(type);
  }

  function ofValue({ type = 'text', oneOf, isList, isNullable }: FieldType): Redact {
    const ofPart = typeof type === 'function' ? ofClass(type()) : SCALAR_CHECKS[SCALARS[type].type];
    const ofOne = oneOf ? ofKinds(oneOf) : ofPart;
    const ofAll: Redact = isList
      ? (given) => (Array.isArray(given) ? given.map(ofOne) : rejectValue('a list'))
      : ofOne;
    return isNullable ? (given) => (given === null ? null : ofAll(given)) : ofAll;
  }

  function ofKinds({ by, of }: NonNullable<FieldType['oneOf']>): Redact {
    const byWord = new Map<unknown, Redact>(
      of().map((dto) => [discriminatorValue(dto, by), ofClass(dto)]),
    );
    return (given) => {
      const word = (given as Readonly<Record<string, unknown>> | null)?.[by];
      return (byWord.get(word) ?? rejectValue('a known kind'))(given);
    };
  }

  return ofClass(root);
}

/** The value of the property that selects this class in a `oneOf`. */
export function discriminatorValue(dto: Type, discriminator: string): string {
  const [word, another] = fieldsOf(dto)[discriminator]?.type.enum ?? [];
  if (word !== undefined && another === undefined) return word;
  throw new Error(`${fieldPath(dto, discriminator)} names no single word`);
}

/** By the type of its schema. */
const SCALAR_CHECKS = {
  string: (value: unknown) => (typeof value === 'string' ? value : rejectValue('text')),
  boolean: (value: unknown) => (typeof value === 'boolean' ? value : rejectValue('a boolean')),
  number: (value: unknown) => (Number.isFinite(value) ? value : rejectValue('a number')),
  integer: (value: unknown) =>
    Number.isSafeInteger(value) ? value : rejectValue('a safe integer'),
} as const;

function rejectValue(what: string): never {
  // Never with the value: it may be what must not be seen.
  throw new TypeError(`a response holds something other than ${what}`);
}

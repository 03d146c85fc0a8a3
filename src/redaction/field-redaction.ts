import type { Type } from '@nestjs/common';
import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import { ResponseFieldError } from '../kernel/response-field-error.js';
import { UUID_PATTERN } from '../kernel/uuid.js';
import {
  CustomFieldRegistry,
  fieldPath,
  fieldsOf,
  type Field,
  type FieldType,
  type ScalarType,
} from './field.js';

/**
 * The audience of a response: the principal type, with hosted assistants as a separate audience.
 */
export type Audience = PrincipalType | 'hosted-assistant';

/** Returns the audience to which a principal belongs. */
export function audienceOf(principal: Principal): Audience {
  return matchPrincipal<Audience>(principal, {
    session: () => 'session',
    assistant: ({ isHosted }) => (isHosted ? 'hosted-assistant' : 'assistant'),
  });
}

/**
 * Returns the redacted copy of a value.
 *
 * @throws {ResponseFieldError} for a value that does not match its declaration.
 */
export type Redact = (value: unknown) => unknown;

/**
 * Composes the redaction of a response for one audience. The result is a new plain object with the
 * declared fields that the audience may see; undeclared properties are not copied.
 *
 * @param hidden paths of further fields to hide (`Row.listedAtCents`).
 */
export function composeRedaction(
  root: Type,
  audience: Audience,
  hidden: ReadonlySet<string> = new Set(),
  customFields = new CustomFieldRegistry(),
): Redact {
  const isHosted = audience === 'hosted-assistant';
  const principalType = isHosted ? 'assistant' : audience;
  const compiled = new Map<Type, Redact>();

  function compileClass(dto: Type): Redact {
    const known = compiled.get(dto);
    if (known) return known;
    const fields: CompiledField[] = [];
    const redact: Redact = (value) => {
      if (typeof value !== 'object' || value === null) {
        throw new ResponseFieldError(dto.name, 'an object', value);
      }
      const properties = value as Readonly<Record<string, unknown>>;
      const redacted: Record<string, unknown> = {};
      for (const field of fields) {
        const property = properties[field.name];
        if (property === undefined && field.isOptional) continue;
        redacted[field.name] = field.redact(property);
      }
      return redacted;
    };
    // Registered before its fields are compiled, so that recursive DTOs terminate.
    compiled.set(dto, redact);
    for (const [name, field] of Object.entries({ ...fieldsOf(dto), ...customFields.get(dto) })) {
      const path = fieldPath(dto, name);
      const redactField = compileField(field, path);
      if (redactField === undefined) continue;
      fields.push({ name, isOptional: field.type.isOptional ?? false, redact: redactField });
    }
    return redact;
  }

  /** Compiles the redaction of a field; undefined when the field is left out. */
  function compileField({ visibility, type }: Field, path: string): Redact | undefined {
    if (hidden.has(path)) return type.isOptional ? undefined : () => null;
    switch (visibility[principalType]) {
      case 'unless-hosted':
        return isHosted ? undefined : compileValue(type, path);
      case 'null':
        return () => null;
      case 'false':
        return () => false;
      case 'same':
      case 'described':
        return compileValue(type, path);
    }
  }

  function compileValue(type: FieldType, path: string): Redact {
    const redactItem = compileItem(type, path);
    const redactList: Redact = (value) => {
      if (!Array.isArray(value)) throw new ResponseFieldError(path, 'a list', value);
      // Unlike `map`, the loop does not skip the holes of a sparse list.
      const redacted: unknown[] = [];
      for (const item of value) redacted.push(redactItem(item));
      return redacted;
    };
    const redactAll = type.isList ? redactList : redactItem;
    if (!type.isNullable) return redactAll;
    return (value) => (value === null ? null : redactAll(value));
  }

  /** Compiles the redaction of a value that is not a list, or of an item of a list. */
  function compileItem({ type = 'text', oneOf }: FieldType, path: string): Redact {
    if (oneOf) return compileUnion(oneOf, path);
    if (typeof type === 'function') return compileClass(type());
    const { expected, matches } = SCALAR_CHECKS[type];
    return (value) => {
      if (!matches(value)) throw new ResponseFieldError(path, expected, value);
      return value;
    };
  }

  function compileUnion({ by, classes }: NonNullable<FieldType['oneOf']>, path: string): Redact {
    const redactByKind = new Map<unknown, Redact>(
      classes().map((dto) => [discriminatorValue(dto, by), compileClass(dto)]),
    );
    return (value) => {
      const kind = (value as Readonly<Record<string, unknown>> | null)?.[by];
      const redactKind = redactByKind.get(kind);
      if (!redactKind) throw new ResponseFieldError(path, 'a known kind', kind);
      return redactKind(value);
    };
  }

  return compileClass(root);
}

/** A field of a class, with the function that redacts its value for the audience. */
interface CompiledField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly redact: Redact;
}

/** Returns the value of the property that selects this class in a `oneOf`. */
export function discriminatorValue(dto: Type, discriminator: string): string {
  const [word, another] = fieldsOf(dto)[discriminator]?.type.enum ?? [];
  if (word !== undefined && another === undefined) return word;
  throw new Error(`${fieldPath(dto, discriminator)}: declare an enum with a single value`);
}

/** A date and time with a zone (RFC 3339, section 5.6), as `format: date-time` requires. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** Whether a value matches the schema of its scalar type. */
interface ScalarCheck {
  /** What the schema requires, for the message. */
  readonly expected: string;
  readonly matches: (value: unknown) => boolean;
}

const SCALAR_CHECKS: Readonly<Record<ScalarType, ScalarCheck>> = {
  text: { expected: 'text', matches: isText },
  uuid: { expected: 'a UUID', matches: (value) => isText(value) && UUID_PATTERN.test(value) },
  time: {
    // In ISO 8601, with a zone.
    expected: 'a time',
    matches: (value) => isText(value) && DATE_TIME.test(value),
  },
  boolean: { expected: 'a boolean', matches: (value) => typeof value === 'boolean' },
  decimal: { expected: 'a number', matches: Number.isFinite },
  integer: { expected: 'a safe integer', matches: isInteger },
  count: {
    expected: 'an integer of at least 0',
    matches: (value) => isInteger(value) && value >= 0,
  },
  'positive-count': {
    expected: 'an integer of at least 1',
    matches: (value) => isInteger(value) && value >= 1,
  },
};

import type { Principal } from '../../kernel/principal.js';
import type { AnyShape, Field, Value } from '../wire/field.js';
import { fieldPath } from '../wire/walk.js';

/** Writes a value as JSON, leaving out or nulling what its reader may not see. */
export type Write = (value: unknown) => string;

/** Who an answer is written for. */
export type Audience = 'session' | 'assistant' | 'hosted-assistant';

export function audienceOf(principal: Principal): Audience {
  if (principal.type === 'session') return 'session';
  return principal.isHosted ? 'hosted-assistant' : 'assistant';
}

// eslint-disable-next-line no-control-regex -- JSON escapes control characters
const NEEDS_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;
const writeNull: Write = () => 'null';
const writeFalse: Write = () => 'false';

function refuse(what: string): never {
  // Never with the value: it may be what must not be seen.
  throw new TypeError(`an answer holds something other than ${what}`);
}

const LEAVES: Readonly<Record<string, Write>> = {
  text: (value) => {
    if (typeof value !== 'string') return refuse('text');
    return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  },
  word: (value) => (typeof value === 'string' ? `"${value}"` : refuse('a word')),
  boolean: (value) => (typeof value === 'boolean' ? String(value) : refuse('a boolean')),
  number: (value) => (Number.isFinite(value) ? String(value) : refuse('a number')),
  integer: (value) => (Number.isSafeInteger(value) ? String(value) : refuse('a safe integer')),
};

/**
 * Compiles the writer of a shape for one audience. What is written is what the shape declares, field by
 * field: a property that nobody declared is not written, whatever the object holds.
 *
 * Writing and hiding are one pass because they walk the same fields, and because what is hidden is then
 * never copied anywhere.
 *
 * @param hidden paths of further fields to hide (`Row.listedAtCents`).
 */
export function redactingWriter(
  shape: AnyShape,
  audience: Audience,
  hidden: ReadonlySet<string>,
): Write {
  const fields = Object.entries(shape.fields).flatMap(([name, field]) => {
    const write = fieldWriter(field, audience, hidden, hidden.has(fieldPath(shape, name)));
    return write
      ? [{ name, key: `${JSON.stringify(name)}:`, write, isOptional: field.isOptional }]
      : [];
  });
  return (value) => {
    if (typeof value !== 'object' || value === null) return refuse('an object');
    const record = value as Record<string, unknown>;
    let json = '';
    for (const { name, key, write, isOptional } of fields) {
      const fieldValue = record[name];
      if (fieldValue === undefined && isOptional) continue;
      json += (json === '' ? key : `,${key}`) + write(fieldValue);
    }
    return `{${json}}`;
  };
}

/** Undefined: the field is not written at all. */
function fieldWriter(
  field: Field,
  audience: Audience,
  hidden: ReadonlySet<string>,
  isHidden: boolean,
): Write | undefined {
  if (isHidden) return field.isOptional ? undefined : writeNull;
  if (audience !== 'session') {
    if (field.assistant === 'null') return writeNull;
    if (field.assistant === 'false') return writeFalse;
    if (field.assistant === 'unless-hosted' && audience === 'hosted-assistant') return undefined;
  }
  return valueWriter(field.value, audience, hidden);
}

function valueWriter(value: Value, audience: Audience, hidden: ReadonlySet<string>): Write {
  switch (value.is) {
    case 'leaf':
      return LEAVES[value.type] ?? refuse('a known type');
    case 'nullable': {
      const write = valueWriter(value.of, audience, hidden);
      return (inner) => (inner === null ? 'null' : write(inner));
    }
    case 'list': {
      const write = valueWriter(value.of, audience, hidden);
      return (inner) => {
        if (!Array.isArray(inner)) return refuse('a list');
        let json = '';
        for (const item of inner) json += (json === '' ? '' : ',') + write(item);
        return `[${json}]`;
      };
    }
    case 'object':
      return redactingWriter(value.shape, audience, hidden);
    case 'one-of': {
      const writers = new Map<unknown, Write>(
        value.shapes.map((shape) => [
          wordOf(shape, value.discriminator),
          redactingWriter(shape, audience, hidden),
        ]),
      );
      return (inner) => {
        const word = (inner as Record<string, unknown> | null)?.[value.discriminator];
        return (writers.get(word) ?? refuse('a known kind'))(inner);
      };
    }
  }
}

/** The word that tells a shape of a `one-of` from the others. */
export function wordOf(shape: AnyShape, discriminator: string): string {
  const value = shape.fields[discriminator]?.value;
  const word = value?.is === 'leaf' ? value.schema['const'] : undefined;
  if (typeof word !== 'string')
    throw new Error(`${shape.name}.${discriminator} names no single word`);
  return word;
}

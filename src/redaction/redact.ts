import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import { AddedFields, fieldPath, type Field, type Shape, type Value } from './field.js';

/** For whom a response is redacted: a principal type, or the hosted kind of one. */
export type Audience = PrincipalType | 'hosted-assistant';

export function audienceOf(principal: Principal): Audience {
  return matchPrincipal<Audience>(principal, {
    session: () => 'session',
    assistant: ({ isHosted }) => (isHosted ? 'hosted-assistant' : 'assistant'),
  });
}

/** Makes of a value what its audience may have. */
export type Redact = (value: unknown) => unknown;

/**
 * Composes the redaction of a response for one audience, once. The result is a new plain object with what the
 * declarations let the audience have, field by field: an undeclared property is not copied.
 *
 * @param hidden paths of further fields to hide (`Row.listedAtCents`).
 * @returns a function that throws on a value other than the declared, never with the value in its message.
 */
export function composeRedaction(
  root: Shape,
  audience: Audience,
  hidden: ReadonlySet<string> = new Set(),
  added = new AddedFields(),
): Redact {
  const isHosted = audience === 'hosted-assistant';
  const type = isHosted ? 'assistant' : audience;
  const made = new Map<Shape, Redact>();

  function ofShape(shape: Shape): Redact {
    const known = made.get(shape);
    if (known) return known;
    const fields: (readonly [name: string, isOptional: boolean, redact: Redact])[] = [];
    const redact: Redact = (value) => {
      if (typeof value !== 'object' || value === null) return refuse('an object');
      const given = value as Readonly<Record<string, unknown>>;
      const redacted: Record<string, unknown> = {};
      for (const [name, isOptional, of] of fields) {
        const part = given[name];
        if (part !== undefined || !isOptional) redacted[name] = of(part);
      }
      return redacted;
    };
    // Entered before it is filled, in case it holds itself.
    made.set(shape, redact);
    for (const [name, field] of Object.entries({ ...shape.fields, ...added.get(shape) })) {
      const of = ofField(field, hidden.has(fieldPath(shape, name)));
      if (of) fields.push([name, field.isOptional, of]);
    }
    return redact;
  }

  /** Undefined: the field is left out. */
  function ofField({ value, forms, isOptional }: Field, isHidden: boolean): Redact | undefined {
    const form = forms[type];
    if (isHidden) return isOptional ? undefined : () => null;
    if (form === 'unless-hosted' && isHosted) return undefined;
    if (form === 'null') return () => null;
    return form === 'false' ? () => false : ofValue(value);
  }

  function ofValue(value: Value): Redact {
    switch (value.is) {
      case 'leaf':
        return LEAVES[value.type];
      case 'object':
        return ofShape(value.shape);
      case 'nullable': {
        const of = ofValue(value.of);
        return (given) => (given === null ? null : of(given));
      }
      case 'list': {
        const of = ofValue(value.of);
        return (given) => (Array.isArray(given) ? given.map(of) : refuse('a list'));
      }
      case 'one-of': {
        const { discriminator, shapes } = value;
        const byWord = new Map(shapes.map((one) => [wordOf(one, discriminator), ofShape(one)]));
        return (given) => {
          const word = (given as Readonly<Record<string, unknown>> | null)?.[discriminator];
          return (byWord.get(word) ?? refuse('a known kind'))(given);
        };
      }
    }
  }

  return ofShape(root);
}

/** The discriminator value of a shape in a `one-of`. */
function wordOf(shape: Shape, discriminator: string): unknown {
  const value = shape.fields[discriminator]?.value;
  const word = value?.is === 'leaf' ? value.schema['const'] : undefined;
  if (word === undefined) throw new Error(`${shape.name}.${discriminator} names no single word`);
  return word;
}

const LEAVES = {
  text: (value: unknown) => (typeof value === 'string' ? value : refuse('text')),
  boolean: (value: unknown) => (typeof value === 'boolean' ? value : refuse('a boolean')),
  decimal: (value: unknown) => (Number.isFinite(value) ? value : refuse('a number')),
  integer: (value: unknown) => (Number.isSafeInteger(value) ? value : refuse('a safe integer')),
} as const;

function refuse(what: string): never {
  // Never with the value: it may be what must not be seen.
  throw new TypeError(`a response holds something other than ${what}`);
}

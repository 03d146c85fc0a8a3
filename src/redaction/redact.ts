import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import type { Field, Shape, Value } from './field.js';
import { fieldPath, wordOf } from './walk.js';

/** For whom a response is redacted: a principal type, or the hosted kind of one. */
export type Audience = PrincipalType | 'hosted-assistant';

export function audienceOf(principal: Principal): Audience {
  return matchPrincipal<Audience>(principal, {
    session: () => 'session',
    assistant: ({ isHosted }) => (isHosted ? 'hosted-assistant' : 'assistant'),
  });
}

/** The principal type behind each audience, and whether it is hosted. */
const AUDIENCES: Readonly<Record<Audience, { type: PrincipalType; isHosted: boolean }>> = {
  session: { type: 'session', isHosted: false },
  assistant: { type: 'assistant', isHosted: false },
  'hosted-assistant': { type: 'assistant', isHosted: true },
};

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
  shape: Shape,
  audience: Audience,
  hidden: ReadonlySet<string>,
): Redact {
  return new Composition(AUDIENCES[audience], hidden).ofShape(shape);
}

class Composition {
  readonly #made = new Map<Shape, Redact>();

  constructor(
    private readonly audience: { readonly type: PrincipalType; readonly isHosted: boolean },
    private readonly hidden: ReadonlySet<string>,
  ) {}

  ofShape(shape: Shape): Redact {
    const known = this.#made.get(shape);
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
    this.#made.set(shape, redact);
    for (const [name, field] of Object.entries(shape.fields)) {
      const isHidden = this.hidden.has(fieldPath(shape, name));
      if (this.#isLeftOut(field, isHidden)) continue;
      fields.push([name, field.isOptional, this.#ofField(field, isHidden)]);
    }
    return redact;
  }

  #isLeftOut(field: Field, isHidden: boolean): boolean {
    if (isHidden) return field.isOptional;
    return this.audience.isHosted && field.forms[this.audience.type] === 'unless-hosted';
  }

  #ofField(field: Field, isHidden: boolean): Redact {
    const form = field.forms[this.audience.type];
    if (isHidden || form === 'null') return () => null;
    if (form === 'false') return () => false;
    return this.#ofValue(field.value);
  }

  #ofValue(value: Value): Redact {
    switch (value.is) {
      case 'leaf':
        return LEAVES[value.type];
      case 'object':
        return this.ofShape(value.shape);
      case 'nullable': {
        const of = this.#ofValue(value.of);
        return (given) => (given === null ? null : of(given));
      }
      case 'list': {
        const of = this.#ofValue(value.of);
        return (given) => (Array.isArray(given) ? given.map(of) : refuse('a list'));
      }
      case 'one-of': {
        const { discriminator, shapes } = value;
        const byWord = new Map(
          shapes.map((shape) => [wordOf(shape, discriminator), this.ofShape(shape)]),
        );
        return (given) => {
          const word = (given as Readonly<Record<string, unknown>> | null)?.[discriminator];
          const of = byWord.get(word as string);
          return of ? of(given) : refuse('a known kind');
        };
      }
    }
  }
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

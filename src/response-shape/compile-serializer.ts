import { packedUuidsJson } from '../kernel/packed-uuids.js';
import { matchPrincipal, type Principal, type PrincipalType } from '../kernel/principal.js';
import type { AnyShape, LeafType } from './field.js';
import { SerializerSource } from './serializer-source.js';

/** Serializes a value as JSON, leaving out or nulling what its audience may not see. */
export type Serialize = (value: unknown) => string;

/** For whom a response is serialized: a principal type, or the hosted kind of one. */
export type Audience = PrincipalType | 'hosted-assistant';

export function audienceOf(principal: Principal): Audience {
  return matchPrincipal<Audience>(principal, {
    session: () => 'session',
    assistant: ({ isHosted }) => (isHosted ? 'hosted-assistant' : 'assistant'),
  });
}

// eslint-disable-next-line no-control-regex -- JSON escapes control characters
const NEEDS_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

function refuse(what: string): never {
  // Never with the value: it may be what must not be seen.
  throw new TypeError(`a response holds something other than ${what}`);
}

/** The JSON of a leaf, of `text` and `word` without the quotes. Booleans are constants. */
const LEAVES: Readonly<Record<Exclude<LeafType, 'boolean'>, Serialize>> = {
  text: (value) => {
    if (typeof value !== 'string') return refuse('text');
    return NEEDS_ESCAPE.test(value) ? JSON.stringify(value).slice(1, -1) : value;
  },
  word: (value) => (typeof value === 'string' ? value : refuse('a word')),
  uuids: (value) => (typeof value === 'string' ? packedUuidsJson(value) : refuse('packed ids')),
  number: (value) => (Number.isFinite(value) ? String(value) : refuse('a number')),
  integer: (value) => (Number.isSafeInteger(value) ? String(value) : refuse('a safe integer')),
};

/** What the compiled text calls, by the names it uses. */
const CALLED = { ...LEAVES, refuse };

/**
 * Compiles the serializer of a shape for one audience. What is written is what the shape declares, field by
 * field: an undeclared property of the object is not written.
 *
 * Serializing and hiding are one pass because they walk the same fields, and because what is hidden is then
 * never copied anywhere. The pass is generated code: composed closures take twice as long, which is 10 % of a
 * whole request for one deal set and 4 % for the list (decision 4). `__snapshots__` beside this file contains a
 * sample of the generated code.
 *
 * @param hidden paths of further fields to hide (`Row.listedAtCents`).
 */
export function compileSerializer(
  shape: AnyShape,
  audience: Audience,
  hidden: ReadonlySet<string>,
): Serialize {
  const source = new SerializerSource(audience, hidden);
  const main = source.writerOf(shape);
  // The text contains declarations only, never a value of a request.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const compile = new Function(
    ...Object.keys(CALLED),
    `'use strict';\n${source.text}return ${main};`,
  ) as (...called: unknown[]) => Serialize;
  return compile(...Object.values(CALLED));
}

import type { Principal } from '../../kernel/principal.js';
import type { AnyShape, LeafType } from '../wire/field.js';
import { WriterSource } from './writer-source.js';

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

function refuse(what: string): never {
  // Never with the value: it may be what must not be seen.
  throw new TypeError(`an answer holds something other than ${what}`);
}

/** What stands for a leaf: of texts without the quotes. Booleans are constants. */
const LEAVES: Readonly<Record<Exclude<LeafType, 'boolean'>, Write>> = {
  text: (value) => {
    if (typeof value !== 'string') return refuse('text');
    return NEEDS_ESCAPE.test(value) ? JSON.stringify(value).slice(1, -1) : value;
  },
  word: (value) => (typeof value === 'string' ? value : refuse('a word')),
  number: (value) => (Number.isFinite(value) ? String(value) : refuse('a number')),
  integer: (value) => (Number.isSafeInteger(value) ? String(value) : refuse('a safe integer')),
};

/** What the compiled text calls, by the names it uses. */
const CALLED = { ...LEAVES, refuse };

/**
 * Compiles the writer of a shape for one audience. What is written is what the shape declares, field by
 * field: a property that nobody declared is not written, whatever the object holds.
 *
 * Writing and hiding are one pass because they walk the same fields, and because what is hidden is then
 * never copied anywhere. The pass is compiled to code, as Fastify does with its schemas: a walk over the
 * declarations at run time would look up every field again for every row.
 *
 * @param hidden paths of further fields to hide (`Row.listedAtCents`).
 */
export function redactingWriter(
  shape: AnyShape,
  audience: Audience,
  hidden: ReadonlySet<string>,
): Write {
  const source = new WriterSource(audience, hidden);
  const main = source.writerOf(shape);
  // The text is made of the declarations alone: no value of any request is ever part of it.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const compile = new Function(
    ...Object.keys(CALLED),
    `'use strict';\n${source.text}return ${main};`,
  ) as (...called: unknown[]) => Write;
  return compile(...Object.values(CALLED));
}

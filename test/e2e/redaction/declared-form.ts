import type { Field, Shape, Value } from '../../../src/redaction/field.js';
import { fieldPath } from '../../../src/redaction/walk.js';

/** A label that an assistant may get: parts of a car, never anything else. */
export type IsCarDescription = (label: string) => boolean;

export interface Comparison {
  /** How often each field was compared, by its path. */
  readonly compared: Map<string, number>;
  /** How often an assistant's value differed from the buyer's, by path. */
  readonly differing: Map<string, number>;
  readonly problems: string[];
}

export function newComparison(): Comparison {
  return { compared: new Map(), differing: new Map(), problems: [] };
}

const bump = (counts: Map<string, number>, path: string): void => {
  counts.set(path, (counts.get(path) ?? 0) + 1);
};

type Json = Readonly<Record<string, unknown>>;

/**
 * Holds an assistant's answer against the buyer's own of the same request, field by field, each by what
 * its declaration says: the same value, null, false, a car description, or absent.
 *
 * @param isHosted the assistant is a hosted one.
 */
export function compare(
  shape: Shape,
  buyers: Json,
  assistants: Json,
  isHosted: boolean,
  isCarDescription: IsCarDescription,
  into: Comparison,
): void {
  const undeclared = Object.keys(assistants).filter((name) => !(name in shape.fields));
  if (undeclared.length > 0)
    into.problems.push(`${shape.name} has undeclared ${undeclared.join(', ')}`);
  for (const [name, field] of Object.entries(shape.fields)) {
    const path = fieldPath(shape, name);
    // Only an assistant's poll has changes at all.
    if (path.endsWith('Entry.changes')) continue;
    const problem = formProblem(field, name, buyers, assistants, isHosted, isCarDescription);
    if (problem) into.problems.push(`${path} ${problem}: ${JSON.stringify(assistants[name])}`);
    bump(into.compared, path);
    if (JSON.stringify(buyers[name]) !== JSON.stringify(assistants[name]))
      bump(into.differing, path);
    if (field.forms.assistant === 'same') {
      descend(
        field.value,
        buyers[name],
        assistants[name],
        path,
        (inner, one, two) => compare(inner, one, two, isHosted, isCarDescription, into),
        into,
      );
    }
  }
}

function formProblem(
  field: Field,
  name: string,
  buyers: Json,
  assistants: Json,
  isHosted: boolean,
  isCarDescription: IsCarDescription,
): string | undefined {
  const value = assistants[name];
  const isAbsent = !(name in assistants);
  switch (field.forms.assistant) {
    case 'null':
      return value === null ? undefined : 'is not null';
    case 'false':
      return isAbsent || value === false ? undefined : 'is not false';
    case 'unless-hosted':
      if (isHosted) return isAbsent ? undefined : 'is there for a hosted assistant';
      return value === buyers[name] ? undefined : 'is another value';
    case 'described': {
      const labels = Array.isArray(value) ? (value as unknown[]) : [value];
      const isFine = labels.every((label) =>
        label === null
          ? isNullable(field.value)
          : typeof label === 'string' && isCarDescription(label),
      );
      return isFine ? undefined : 'is no car description';
    }
    case 'same':
      return isLeaf(field.value) && JSON.stringify(value) !== JSON.stringify(buyers[name])
        ? 'is another value'
        : undefined;
  }
}

function isNullable(value: Value): boolean {
  return value.is === 'nullable';
}

function isLeaf(value: Value): boolean {
  if (value.is === 'leaf') return true;
  return (value.is === 'nullable' || value.is === 'list') && isLeaf(value.of);
}

/** Walks into objects and lists of objects; both sides must have the same ones. */
function descend(
  value: Value,
  one: unknown,
  two: unknown,
  path: string,
  visit: (shape: Shape, one: Json, two: Json) => void,
  into: Comparison,
): void {
  switch (value.is) {
    case 'leaf':
      return;
    case 'nullable':
      if ((one === null) !== (two === null)) into.problems.push(`${path} is null for one of them`);
      else if (one !== null) descend(value.of, one, two, path, visit, into);
      return;
    case 'list': {
      const [ones, twos] = [one as unknown[], two as unknown[]];
      if (ones.length !== twos.length) into.problems.push(`${path} has another length`);
      ones.forEach((item, index) => descend(value.of, item, twos[index], path, visit, into));
      return;
    }
    case 'object':
      visit(value.shape, one as Json, two as Json);
      return;
    case 'one-of': {
      const word = (one as Json)[value.discriminator];
      const shape = value.shapes.find((candidate) => {
        const kind = candidate.fields[value.discriminator]?.value;
        return kind?.is === 'leaf' && kind.schema['const'] === word;
      });
      if (!shape) into.problems.push(`${path} is of the unknown kind ${JSON.stringify(word)}`);
      else visit(shape, one as Json, two as Json);
    }
  }
}

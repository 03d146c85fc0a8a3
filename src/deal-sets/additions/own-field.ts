import type { Deadline } from '../../kernel/deadline.js';
import type { Principal } from '../../kernel/principal.js';
import {
  nullable,
  shown,
  withheld,
  type AnyShape,
  type Field,
  type Fields,
  type Value,
} from '../../response-shape/field.js';
import { ShapeAdditions } from '../../response-shape/shape-additions.js';
import { DealSetEntry, SingleEntry } from '../dto/list-entry.js';
import { Row } from '../dto/row.js';

/** What the loader of an own field is given. */
export interface OwnFieldRequest {
  /** Ids of the rows or entries of the response, at least one, each once. */
  readonly ids: readonly string[];
  /** Who reads; every id belongs to its buyer. */
  readonly principal: Principal;
  /**
   * Runs one statement under the database role of the principal's type, as the service's own reads: on a
   * replica where there is one, cancelled at the limit. The role can select what it was granted alone.
   *
   * @param text constant: values are parameters.
   */
  query<Result>(text: string, values?: readonly unknown[]): Promise<Result[]>;
}

/**
 * A nullable field that a team adds to the rows of a deal set or to the entries of the list.
 *
 * Guarantees: `load` is called once for a response, with all its ids, and never for a principal from whom the
 * field is withheld. An id that the returned map lacks has null.
 * Must never: return a value of another buyer, or one that names a dealership that the principal may not know.
 * When it fails, is late (2 seconds) or returns no `Map`: 503 `unavailable`, nothing is sent. A value that does
 * not fit `value`: 500 `internal`, nothing is sent.
 */
export interface OwnField<T = unknown> {
  /** The value when there is one: `integer`, `text`, `listOf(text)`; the field is nullable. */
  readonly value: Value<T>;
  /** For the API description. */
  readonly description: string;
  /** What an assistant gets. Default: `withheld`, which is null. */
  readonly forAssistants?: 'withheld' | 'shown';
  /** @param limit the call's own limit; its `signal` is aborted when the call is given up. */
  load(request: OwnFieldRequest, limit: Deadline): Promise<ReadonlyMap<string, T | null>>;
}

/** Declares an own field: the values that `load` returns have the type of `value`. */
export function ownField<T>(field: OwnField<T>): OwnField<T> {
  return field;
}

/** Fields of a team, by name, at each place that takes them; `ids` are those of the place. */
export interface OwnFields {
  /** Rows of a deal set; ids of price checks. */
  readonly row?: Readonly<Record<string, OwnField>>;
  /** Deal sets of the list; ids of deal sets. */
  readonly dealSetEntry?: Readonly<Record<string, OwnField>>;
  /** Requests to one dealership of the list; ids of price checks. */
  readonly singleEntry?: Readonly<Record<string, OwnField>>;
}

export type OwnFieldPlace = keyof OwnFields;

const SHAPES: Readonly<Record<OwnFieldPlace, AnyShape>> = {
  row: Row,
  dealSetEntry: DealSetEntry,
  singleEntry: SingleEntry,
};
const NAME = /^[a-z][A-Za-z0-9]*$/;

/**
 * The shapes with a team's fields.
 *
 * @throws {Error} with one line for each field that is declared wrongly or has the name of another.
 */
export function shapesWith(own: OwnFields): ShapeAdditions {
  const places = Object.entries(own) as [OwnFieldPlace, OwnFields[OwnFieldPlace]][];
  const problems = places.flatMap(([place, fields = {}]) =>
    Object.hasOwn(SHAPES, place)
      ? Object.entries(fields).flatMap(([name, field]) => problemsOf(place, name, field))
      : [`fields.${place}: expected one of ${Object.keys(SHAPES).join(', ')}`],
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return new ShapeAdditions(
    new Map(places.map(([place, fields = {}]) => [SHAPES[place], declared(fields)])),
  );
}

function declared(fields: Readonly<Record<string, OwnField>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Field] => {
      const { value, description } = field;
      const bare = value.is === 'nullable' ? value.of : value;
      return [
        name,
        isShownToAssistants(field)
          ? shown(nullable(bare), description)
          : withheld(bare, description),
      ];
    }),
  );
}

export function isShownToAssistants({ forAssistants }: OwnField): boolean {
  return forAssistants === 'shown';
}

/** Types do not bind a caller in JavaScript. */
function problemsOf(place: OwnFieldPlace, name: string, field: Partial<OwnField>): string[] {
  const problems: string[] = [];
  const expect = (isTrue: boolean, problem: string): void => {
    if (!isTrue) problems.push(`fields.${place}.${name}: ${problem}`);
  };
  const shape = SHAPES[place];
  expect(
    !Object.hasOwn(shape.fields, name),
    `${shape.name} has a field of this name: choose another, such as one with the team's name before it`,
  );
  expect(NAME.test(name), 'the name must match [a-z][A-Za-z0-9]*');
  expect(Boolean(field.value?.is), 'value must be one of the response-shape builders');
  expect(Boolean(field.description), 'a description is missing');
  expect(typeof field.load === 'function', 'load must be a function');
  expect(
    field.forAssistants === undefined || ['withheld', 'shown'].includes(field.forAssistants),
    'forAssistants must be withheld or shown',
  );
  return problems;
}

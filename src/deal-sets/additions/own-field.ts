import type { Type } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { AddedFields, SAME, WITHHELD, type Field, type Fields } from '../../redaction/field.js';
import { composeRedaction } from '../../redaction/redact.js';
import { LEAF_NAMES, shapeOf, valueOf, type LeafName } from '../../redaction/shape-of.js';
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
 * When it fails, is late (2 seconds) or returns no `Map`: the field is null in this response, and the log says so. A
 * value that does not fit `type`: 500 `internal`, nothing is sent.
 */
export interface OwnField {
  /** The value when there is one; the field is nullable. */
  readonly type: LeafName;
  /** A list of such values. */
  readonly isList?: boolean;
  /** For the API description. */
  readonly description: string;
  /** What an assistant gets. Default: `withheld`, which is null. */
  readonly forAssistants?: 'withheld' | 'shown';
  /** @param signal aborted when the call is given up. */
  load(request: OwnFieldRequest, signal: AbortSignal): Promise<ReadonlyMap<string, unknown>>;
}

/** The values that `load` returns for a declared type. */
type Values<Name extends LeafName, IsList> = IsList extends true
  ? readonly ValueOf<Name>[]
  : ValueOf<Name>;
type ValueOf<Name extends LeafName> = Name extends 'text' | 'uuid' | 'time'
  ? string
  : Name extends 'boolean'
    ? boolean
    : number;

/** Declares an own field: it compiles when the values that `load` returns have the declared type. */
export function ownField<const Name extends LeafName, const IsList extends boolean = false>(
  field: Omit<OwnField, 'load'> & {
    readonly type: Name;
    readonly isList?: IsList;
    load(
      request: OwnFieldRequest,
      signal: AbortSignal,
    ): Promise<ReadonlyMap<string, Values<Name, IsList> | null>>;
  },
): OwnField {
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

const DTOS: Readonly<Record<OwnFieldPlace, Type>> = {
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
export function shapesWith(own: OwnFields): AddedFields {
  const places = Object.entries(own) as [OwnFieldPlace, OwnFields[OwnFieldPlace]][];
  const problems = places.flatMap(([place, fields = {}]) =>
    Object.hasOwn(DTOS, place)
      ? Object.entries(fields).flatMap(([name, field]) => problemsOf(place, name, field))
      : [`fields.${place}: expected one of ${Object.keys(DTOS).join(', ')}`],
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return new AddedFields(
    places.map(([place, fields = {}]) => [shapeOf(DTOS[place]), declared(fields)]),
  );
}

function declared(fields: Readonly<Record<string, OwnField>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Field] => {
      const { type, isList = false, description } = field;
      return [
        name,
        {
          value: valueOf({ type, isList, isNullable: true }, name),
          description,
          forms: isShownToAssistants(field) ? SAME : WITHHELD,
          isOptional: false,
        },
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
  const shape = shapeOf(DTOS[place]);
  expect(
    !Object.hasOwn(shape.fields, name),
    `${shape.name} has a field of this name: choose another, such as one with the team's name before it`,
  );
  expect(NAME.test(name), 'the name must match [a-z][A-Za-z0-9]*');
  expect(LEAF_NAMES.includes(String(field.type)), `type must be one of ${LEAF_NAMES.join(', ')}`);
  expect(Boolean(field.description), 'a description is missing');
  expect(typeof field.load === 'function', 'load must be a function');
  expect(
    field.forAssistants === undefined || ['withheld', 'shown'].includes(field.forAssistants),
    'forAssistants must be withheld or shown',
  );
  return problems;
}

/**
 * For tests of a field: whether the service could send the value.
 *
 * @throws what the request would fail with.
 */
export function assertOwnFieldValue({ type, isList = false }: OwnField, value: unknown): void {
  const shape = valueOf({ type, isList, isNullable: true }, 'value');
  const fields = { value: { value: shape, description: '', forms: SAME, isOptional: false } };
  composeRedaction({ name: 'Probe', description: '', fields }, 'session')({ value });
}

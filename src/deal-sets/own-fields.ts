import { Inject, Injectable, type Type } from '@nestjs/common';
import { ReadDatabase } from '../database/read-database.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import {
  AddedFields,
  fieldsOf,
  LEAVES,
  SAME,
  WITHHELD,
  type Field,
  type LeafName,
} from '../redaction/field.js';
import { composeRedaction } from '../redaction/redact.js';
import { DealSetEntry, SingleEntry } from './dto/list-entry.js';
import { Row } from './dto/row.js';

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

type Place = keyof OwnFields;

const DTOS: Readonly<Record<Place, Type>> = {
  row: Row,
  dealSetEntry: DealSetEntry,
  singleEntry: SingleEntry,
};

/**
 * A team's fields as additions to the classes of responses.
 *
 * @throws {Error} with one line for each field with an unfit name, or that of another.
 */
export function addedFields(own: OwnFields): AddedFields {
  const added = new AddedFields();
  const problems = Object.keys(own)
    .filter((place) => !Object.hasOwn(DTOS, place))
    .map((place) => `fields.${place}: expected one of ${Object.keys(DTOS).join(', ')}`);
  for (const [place, dto] of Object.entries(DTOS) as [Place, Type][]) {
    const fields = Object.entries(own[place] ?? {});
    for (const [name, { type }] of fields) {
      if (!Object.hasOwn(LEAVES, type)) problems.push(`fields.${place}.${name}: unknown type`);
      const problem = Object.hasOwn(fieldsOf(dto), name)
        ? `${dto.name} has a field of this name: choose another, such as one with the team's name before it`
        : /^[a-z][A-Za-z0-9]*$/.test(name) || 'the name must match [a-z][A-Za-z0-9]*';
      if (problem !== true) problems.push(`fields.${place}.${name}: ${problem}`);
    }
    added.set(dto, Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(field)])));
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return added;
}

function fieldOf({ type, isList = false, description, forAssistants }: OwnField): Field {
  const forms = forAssistants === 'shown' ? SAME : WITHHELD;
  return { description, forms, type: { type, isList, isNullable: true } };
}

/**
 * For tests of a field: whether the service could send the value.
 *
 * @throws what the request would fail with.
 */
export function assertOwnFieldValue(field: OwnField, value: unknown): void {
  class Probe {
    readonly value: unknown;
  }
  const added = new AddedFields([[Probe, { value: { ...fieldOf(field), forms: SAME } }]]);
  composeRedaction(Probe, 'session', undefined, added)({ value });
}

/** The longest that the own fields of one response may take. */
const LIMIT_MS = 2000;

/** The values of a team's fields for one row or entry, by name. */
export type OwnValues = (id: string) => Readonly<Record<string, unknown>>;

const NO_VALUES: Readonly<Record<string, unknown>> = {};
export const NO_OWN_VALUES: OwnValues = () => NO_VALUES;

export const OWN_FIELDS = Symbol('own fields');

/** Loads a team's fields for the rows or entries of a response. */
@Injectable()
export class OwnFieldLoader {
  constructor(
    @Inject(OWN_FIELDS) private readonly fields: OwnFields,
    private readonly database: ReadDatabase,
    private readonly log: Log,
  ) {}

  /**
   * Loads the fields of one place, all at once. One that fails is null in this response, and the log says so.
   *
   * @throws the signal's reason when the request is over.
   */
  async load(
    place: Place,
    ids: readonly string[],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<OwnValues> {
    const fields = Object.entries(this.fields[place] ?? {});
    if (fields.length === 0 || ids.length === 0) return NO_OWN_VALUES;
    const loaded = await Promise.all(
      fields.map(async ([name, field]): Promise<readonly [string, Map<string, unknown>]> => {
        if (!mayRead(principal, field)) return [name, new Map()];
        try {
          return [name, await this.#valuesOf(field, ids, principal, signal)];
        } catch (error) {
          signal.throwIfAborted();
          const path = `${place}.${name}`;
          this.log.warn({ field: path, ...errorFields(error) }, 'own field could not be loaded');
          return [name, new Map()];
        }
      }),
    );
    return (id) =>
      Object.fromEntries(loaded.map(([name, values]) => [name, values.get(id) ?? null]));
  }

  /** @throws what the loader throws, or that it was late or returned something else. */
  async #valuesOf(
    field: OwnField,
    ids: readonly string[],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<Map<string, unknown>> {
    const values: unknown = await withTimeLimit(LIMIT_MS, signal, (limit) => {
      const query: OwnFieldRequest['query'] = (text, given = []) =>
        this.database.read(principal.type, limit, (node) => node.query({ text }, given, limit));
      return field.load({ ids, principal, query }, limit);
    });
    if (!(values instanceof Map)) throw new TypeError('load returned no Map');
    return values;
  }
}

function mayRead(principal: Principal, { forAssistants }: OwnField): boolean {
  return matchPrincipal(principal, {
    session: () => true,
    assistant: () => forAssistants === 'shown',
  });
}

import { Inject, Injectable, type Type } from '@nestjs/common';
import { ReadDatabase } from '../database/read-database.js';
import type { Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import {
  CustomFieldRegistry,
  fieldsOf,
  SCALARS,
  SHOWN_TO_ALL,
  WITHHELD,
  type Field,
  type ScalarType,
} from '../redaction/field.js';
import type { Listed } from '../redaction/field.decorators.js';
import { composeRedaction } from '../redaction/redact.js';
import { DealSetEntry, SingleEntry } from './dto/list-entry.js';
import { Row } from './dto/row.js';

/** What the loader of an own field is given. */
export interface CustomFieldRequest {
  /** Ids of the rows or entries of the response, at least one, each once. */
  readonly ids: readonly string[];
  /** Who reads; every id belongs to its buyer. */
  readonly principal: Principal;
  /**
   * Runs one statement under the database role of the principal's type, which selects what it was granted alone: on a
   * replica where there is one, cancelled at the limit. The text is constant, values are parameters.
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
export interface CustomField<Value = unknown> {
  /** The value when there is one; the field is nullable. */
  readonly type: ScalarType;
  /** A list of such values. */
  readonly isList?: boolean;
  /** For the API description. */
  readonly description: string;
  /** What an assistant gets. Default: `withheld`, which is null. */
  readonly forAssistants?: 'withheld' | 'shown';
  /** @param signal aborted when the call is given up. */
  load(
    request: CustomFieldRequest,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Value | null>>;
}

/** Declares an own field: it compiles when the values that `load` returns have the declared type. */
export function customField<const Name extends ScalarType, const IsList extends boolean = false>(
  field: CustomField<Listed<{ readonly type: Name; readonly isList: IsList }>> & {
    readonly type: Name;
    readonly isList?: IsList;
  },
): CustomField {
  return field;
}

/** Fields of a team, by name, at each place that takes them; `ids` are those of the place. */
export interface CustomFields {
  /** Rows of a deal set; ids of price checks. */
  readonly row?: Readonly<Record<string, CustomField>>;
  /** Deal sets of the list; ids of deal sets. */
  readonly dealSetEntry?: Readonly<Record<string, CustomField>>;
  /** Requests to one dealership of the list; ids of price checks. */
  readonly singleEntry?: Readonly<Record<string, CustomField>>;
}

type Dtos = Readonly<Record<string, Type>> & Record<keyof CustomFields, Type>;
const DTOS: Dtos = { row: Row, dealSetEntry: DealSetEntry, singleEntry: SingleEntry };

/** @throws {Error} naming a place or type that does not exist, or a field with an unfit name or that of another. */
export function createCustomFieldRegistry(own: CustomFields): CustomFieldRegistry {
  const added = new CustomFieldRegistry();
  for (const [place, fields = {}] of Object.entries<CustomFields[keyof CustomFields]>({ ...own })) {
    const dto = Object.hasOwn(DTOS, place) ? DTOS[place] : undefined;
    if (!dto) throw new Error(`fields.${place}: expected one of ${Object.keys(DTOS).join(', ')}`);
    const declared = Object.entries(fields).map(([name, field]): [string, Field] => {
      const problem = problemOf(dto, name, field.type);
      if (problem !== undefined) throw new Error(`fields.${place}.${name}: ${problem}`);
      return [name, fieldOf(field)];
    });
    added.set(dto, Object.fromEntries(declared));
  }
  return added;
}

function problemOf(dto: Type, name: string, type: ScalarType): string | undefined {
  if (!Object.hasOwn(SCALARS, type)) return 'unknown type';
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) return 'the name must match [a-z][A-Za-z0-9]*';
  if (!Object.hasOwn(fieldsOf(dto), name)) return undefined;
  return `${dto.name} has a field of this name: choose another, such as one with the team's name before it`;
}

function fieldOf({ type, isList = false, description, forAssistants }: CustomField): Field {
  const forms = forAssistants === 'shown' ? SHOWN_TO_ALL : WITHHELD;
  return { description, visibility: forms, type: { type, isList, isNullable: true } };
}

/** For tests of a field. @throws what a request with this value would fail with. */
export function assertCustomFieldValue(field: CustomField, value: unknown): void {
  class Probe {
    readonly value: unknown;
  }
  const added = new CustomFieldRegistry([[Probe, { value: fieldOf(field) }]]);
  composeRedaction(Probe, 'session', undefined, added)({ value });
}

const LIMIT_MS = 2000;

/** The values of a team's fields for one row or entry, by name. */
export type CustomFieldValues = (id: string) => Readonly<Record<string, unknown>>;

export const CUSTOM_FIELDS = Symbol('own fields');

@Injectable()
export class CustomFieldLoader {
  constructor(
    @Inject(CUSTOM_FIELDS) private readonly fields: CustomFields,
    private readonly database: ReadDatabase,
    private readonly log: Log,
  ) {}

  /** Loads the fields of one place, all at once. @throws the signal's reason when the request is over. */
  async load(
    place: keyof CustomFields,
    ids: readonly string[],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<CustomFieldValues> {
    if (ids.length === 0) return () => ({});
    const loading = Object.entries(this.fields[place] ?? {})
      .filter(([, field]) => fieldOf(field).visibility[principal.type] === 'same')
      .map(async ([name, field]) => {
        const path = `${place}.${name}`;
        return [name, await this.#valuesOf(path, field, { ids, principal }, signal)] as const;
      });
    const loaded = await Promise.all(loading);
    return (id) =>
      Object.fromEntries(loaded.map(([name, values]) => [name, values.get(id) ?? null]));
  }

  async #valuesOf(
    path: string,
    field: CustomField,
    { ids, principal }: Omit<CustomFieldRequest, 'query'>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, unknown>> {
    try {
      const values: unknown = await withTimeLimit(LIMIT_MS, signal, (limit) => {
        const query: CustomFieldRequest['query'] = (text, given = []) =>
          this.database.read(principal.type, limit, (node) => node.query({ text }, given, limit));
        return field.load({ ids, principal, query }, limit);
      });
      if (!(values instanceof Map)) throw new TypeError('load returned no Map');
      return values;
    } catch (error) {
      signal.throwIfAborted();
      this.log.warn({ field: path, ...errorFields(error) }, 'own field could not be loaded');
      return new Map();
    }
  }
}

import { Inject, Injectable, type Type } from '@nestjs/common';
import { ReadDatabase } from '../../database/read-database.js';
import type { Deadline } from '../../kernel/deadline.js';
import type { Principal } from '../../kernel/principal.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { TimeLimits } from '../../kernel/time-limits.js';
import { errorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import {
  CustomFieldRegistry,
  fieldsOf,
  SCALARS,
  SHOWN_TO_ALL,
  WITHHELD,
  type Field,
  type ScalarType,
} from '../../redaction/field.js';
import type { FieldValue } from '../../redaction/field-decorator.types.js';
import { composeRedaction } from '../../redaction/field-redaction.js';
import { DealSetEntry, SingleEntry } from '../dto/list-entry.js';
import { Row } from '../dto/row.js';

/** The arguments of a custom field's loader. */
export interface CustomFieldRequest {
  /** Ids of the rows or entries of the response: at least one, without duplicates. */
  readonly ids: readonly string[];
  /** The caller. Every id belongs to this principal's buyer. */
  readonly principal: Principal;
  /**
   * Runs one statement under the database role of the principal's type, which can select only the
   * columns granted to it. The statement runs on a replica if there is one, and is cancelled at the
   * field's time limit.
   *
   * @param text the statement, which must be constant.
   * @param values the values of its parameters.
   */
  query<Result>(text: string, values?: readonly unknown[]): Promise<Result[]>;
}

/**
 * A nullable field that a host application adds to the rows of a deal set or to the entries of the
 * list.
 *
 * Guarantees: `load` is called once for each response, with all its ids, and never for a principal
 * from whom the field is withheld. The field is null for an id that is missing in the returned map.
 * Must never: return a value of another buyer, or one that identifies a dealership whose name is
 * withheld from the principal.
 * When it fails, takes more than 2 seconds or does not return a `Map`: the field is null in this
 * response, and the failure is logged. A value that does not match `type` makes the response 500
 * `internal`.
 */
export interface CustomField<Value = unknown> {
  /** The type of a value; the field can always be null. */
  readonly type: ScalarType;
  /** Whether a value is a list of the type. */
  readonly isList?: boolean;
  /** The field's description in the API description. */
  readonly description: string;
  /** What an assistant gets. Default: `withheld`, which means null. */
  readonly forAssistants?: 'withheld' | 'shown';
  /**
   * Loads the values of the field for one response.
   *
   * @param signal aborted when the call is abandoned.
   * @returns the values by id.
   */
  load(
    request: CustomFieldRequest,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Value | null>>;
}

/**
 * Declares a custom field. The call compiles only if `load` returns values of the declared type.
 */
export function customField<const Name extends ScalarType, const IsList extends boolean = false>(
  field: CustomField<FieldValue<{ readonly type: Name; readonly isList: IsList }>> & {
    readonly type: Name;
    readonly isList?: IsList;
  },
): CustomField {
  return field;
}

/**
 * The custom fields by name, for each object that can have them. `load` receives ids of that
 * object.
 */
export interface CustomFields {
  /** Fields of the rows of a deal set. `load` receives ids of price checks. */
  readonly row?: Readonly<Record<string, CustomField>>;
  /** Fields of the deal sets in the list. `load` receives ids of deal sets. */
  readonly dealSetEntry?: Readonly<Record<string, CustomField>>;
  /** Fields of the single requests in the list. `load` receives ids of price checks. */
  readonly singleEntry?: Readonly<Record<string, CustomField>>;
}

type Dtos = Readonly<Record<string, Type>> & Record<keyof CustomFields, Type>;
const DTOS: Dtos = { row: Row, dealSetEntry: DealSetEntry, singleEntry: SingleEntry };

/**
 * Checks the custom fields and registers them for redaction and the API description.
 *
 * @throws {Error} for an unknown object or type, or for a field name that is not valid or already
 *   taken.
 */
export function createCustomFieldRegistry(customFields: CustomFields): CustomFieldRegistry {
  const registry = new CustomFieldRegistry();
  for (const [target, fields = {}] of Object.entries<CustomFields[keyof CustomFields]>({
    ...customFields,
  })) {
    const dto = Object.hasOwn(DTOS, target) ? DTOS[target] : undefined;
    if (!dto) throw new Error(`fields.${target}: expected one of ${Object.keys(DTOS).join(', ')}`);
    const declared = Object.entries(fields).map(([name, field]): [string, Field] => {
      const problem = problemOf(dto, name, field);
      if (problem !== undefined) throw new Error(`fields.${target}.${name}: ${problem}`);
      return [name, fieldOf(field)];
    });
    registry.set(dto, Object.fromEntries(declared));
  }
  return registry;
}

function problemOf(
  dto: Type,
  name: string,
  { type, load, forAssistants }: Partial<CustomField>,
): string | undefined {
  if (type === undefined || !Object.hasOwn(SCALARS, type)) {
    return `type: expected one of ${Object.keys(SCALARS).join(', ')}`;
  }
  if (typeof load !== 'function') return 'load: expected a function';
  if (!['withheld', 'shown', undefined].includes(forAssistants)) {
    return "forAssistants: expected 'withheld' or 'shown'";
  }
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) return 'the name must match [a-z][A-Za-z0-9]*';
  if (!Object.hasOwn(fieldsOf(dto), name)) return undefined;
  return `${dto.name} already has a field of this name: choose another, for example with the name of your application as a prefix`;
}

function fieldOf({ type, isList = false, description, forAssistants }: CustomField): Field {
  const visibility = forAssistants === 'shown' ? SHOWN_TO_ALL : WITHHELD;
  return { description, visibility, type: { type, isList, isNullable: true } };
}

/**
 * Checks a value against a field's declaration, for tests of a field.
 *
 * @throws the error that a request with this value would cause.
 */
export function assertCustomFieldValue(field: CustomField, value: unknown): void {
  class Probe {
    readonly value: unknown;
  }
  const added = new CustomFieldRegistry([[Probe, { value: fieldOf(field) }]]);
  composeRedaction(Probe, 'session', undefined, added)({ value });
}

/**
 * Returns the values of the custom fields of one row or entry, by name; undefined if there are no
 * fields.
 */
export type CustomFieldValues = (id: string) => Readonly<Record<string, unknown>> | undefined;

/** The injection token of the host application's `CustomFields`. */
export const CUSTOM_FIELDS = Symbol('custom fields');

/**
 * Loads the values of custom fields for a response. A field that fails or exceeds its time limit is
 * null, and the failure is logged.
 */
@Injectable()
export class CustomFieldLoader {
  constructor(
    @Inject(CUSTOM_FIELDS) private readonly fields: CustomFields,
    private readonly database: ReadDatabase,
    private readonly logger: ServiceLogger,
    private readonly limits: TimeLimits,
  ) {}

  /**
   * Loads all fields of one object concurrently.
   *
   * @param ids the ids of the rows or entries of the response.
   * @returns a function that returns the values of one row or entry.
   * @throws the reason of the deadline's signal when the request has ended.
   */
  async load(
    target: keyof CustomFields,
    ids: readonly string[],
    principal: Principal,
    deadline: Deadline,
  ): Promise<CustomFieldValues> {
    const fields = this.fields[target];
    if (!fields || ids.length === 0) return () => undefined;
    const loading = Object.entries(fields)
      .filter(([, field]) => fieldOf(field).visibility[principal.type] === 'same')
      .map(async ([name, field]) => {
        const path = `${target}.${name}`;
        return [name, await this.#valuesOf(path, field, { ids, principal }, deadline)] as const;
      });
    const loaded = await Promise.all(loading);
    return (id) =>
      Object.fromEntries(loaded.map(([name, values]) => [name, values.get(id) ?? null]));
  }

  async #valuesOf(
    path: string,
    field: CustomField,
    { ids, principal }: Omit<CustomFieldRequest, 'query'>,
    { signal }: Deadline,
  ): Promise<ReadonlyMap<string, unknown>> {
    try {
      const values: unknown = await withTimeLimit(this.limits.customFieldMs, signal, (limit) => {
        const query: CustomFieldRequest['query'] = (text, values = []) =>
          this.database.read(principal.type, limit, (node) => node.query({ text }, values, limit));
        return field.load({ ids, principal, query }, limit);
      });
      if (!(values instanceof Map)) throw new TypeError('load did not return a Map');
      return values;
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn({
        msg: 'custom field could not be loaded',
        field: path,
        ...errorFields(error),
      });
      return new Map();
    }
  }
}

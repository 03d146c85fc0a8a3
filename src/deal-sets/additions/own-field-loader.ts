import { hash } from 'node:crypto';
import type { ReadDatabase, Statement } from '../../database/read-database.js';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import { matchPrincipal, type Principal } from '../../kernel/principal.js';
import { errorFields } from '../../observability/error-fields.js';
import type { Log } from '../../observability/logger.js';
import { assertPlainWords } from '../../response-shape/assert-plain-words.js';
import {
  isShownToAssistants,
  type OwnField,
  type OwnFieldPlace,
  type OwnFieldRequest,
  type OwnFields,
} from './own-field.js';

/** The longest that the own fields of one response may take. */
const LIMIT_MS = 2000;
/** A statement stays prepared on each connection: texts that hold values would be ever new ones. */
const STATEMENTS_MAX = 100;

/** The values of a team's fields for one row or entry, by name. */
export type OwnValues = (id: string) => Readonly<Record<string, unknown>>;

const NO_VALUES: Readonly<Record<string, unknown>> = {};
export const NO_OWN_VALUES: OwnValues = () => NO_VALUES;

type Loaded = readonly [name: string, field: OwnField, values: ReadonlyMap<string, unknown>];

/** Loads a team's fields for the rows or entries of a response. */
export class OwnFieldLoader {
  readonly #statements = new Map<string, Statement>();

  constructor(
    private readonly fields: OwnFields,
    private readonly database: ReadDatabase,
    private readonly log: Log,
  ) {}

  has(place: OwnFieldPlace): boolean {
    return Object.keys(this.fields[place] ?? {}).length > 0;
  }

  /**
   * Loads the fields of one place, all at once.
   *
   * @throws {AppError} `unavailable` when one of them fails or is late.
   */
  async load(
    place: OwnFieldPlace,
    ids: readonly string[],
    principal: Principal,
    deadline: Deadline,
  ): Promise<OwnValues> {
    const fields = Object.entries(this.fields[place] ?? {});
    if (fields.length === 0 || ids.length === 0) return NO_OWN_VALUES;
    const limit = deadline.within(LIMIT_MS);
    const request: OwnFieldRequest = {
      ids,
      principal,
      query: (text, values = []) => this.#query(text, values, principal, limit),
    };
    try {
      const loaded = await Promise.all(
        fields.map(async ([name, field]): Promise<Loaded> => {
          if (!mayRead(principal, field)) return [name, field, new Map()];
          try {
            return [name, field, await valuesOf(field, request, limit)];
          } catch (error) {
            deadline.throwIfOver();
            const path = `${place}.${name}`;
            this.log.warn({ field: path, ...errorFields(error) }, 'own field could not be loaded');
            throw new AppError('unavailable', { cause: error });
          }
        }),
      );
      return (id) =>
        Object.fromEntries(
          loaded.map(([name, field, values]) => [name, fitting(field, values.get(id) ?? null)]),
        );
    } catch (error) {
      // The others are given up with the one that failed.
      limit.end();
      throw error;
    } finally {
      limit.finish();
    }
  }

  async #query<Result>(
    text: string,
    values: readonly unknown[],
    principal: Principal,
    limit: Deadline,
  ): Promise<Result[]> {
    const statement = this.#statementOf(text);
    return this.database.read(principal.type, limit, (node) =>
      node.query<Result>(statement, values, limit),
    );
  }

  #statementOf(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= STATEMENTS_MAX) {
        throw new Error(
          'too many different statements: pass values as parameters, not in the text',
        );
      }
      statement = { name: `own_${hash('sha256', text).slice(0, 32)}`, text };
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** The value, when its words can be written; the serializer checks the rest. */
function fitting({ value }: OwnField, given: unknown): unknown {
  assertPlainWords(value, given);
  return given;
}

/** @throws what the loader throws, or that it was late or returned something else. */
async function valuesOf(
  field: OwnField,
  request: OwnFieldRequest,
  limit: Deadline,
): Promise<ReadonlyMap<string, unknown>> {
  const values: unknown = await limit.race(Promise.resolve(field.load(request, limit)));
  if (!(values instanceof Map)) throw new TypeError('load returned no Map');
  return values;
}

function mayRead(principal: Principal, field: OwnField): boolean {
  return matchPrincipal(principal, {
    session: () => true,
    assistant: () => isShownToAssistants(field),
  });
}

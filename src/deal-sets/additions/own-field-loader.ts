import { hash } from 'node:crypto';
import type { ReadDatabase, Statement } from '../../database/read-database.js';
import { matchPrincipal, type Principal } from '../../kernel/principal.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { errorFields } from '../../observability/error-fields.js';
import type { Log } from '../../observability/logger.js';
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

type Loaded = readonly [name: string, values: ReadonlyMap<string, unknown>];

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
   * Loads the fields of one place, all at once. One that fails is null in this response, and the log says so.
   *
   * @throws the signal's reason when the request is over.
   */
  async load(
    place: OwnFieldPlace,
    ids: readonly string[],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<OwnValues> {
    const fields = Object.entries(this.fields[place] ?? {});
    if (fields.length === 0 || ids.length === 0) return NO_OWN_VALUES;
    const loaded = await Promise.all(
      fields.map(async ([name, field]): Promise<Loaded> => {
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
  ): Promise<ReadonlyMap<string, unknown>> {
    const values: unknown = await withTimeLimit(LIMIT_MS, signal, (limit) => {
      const request: OwnFieldRequest = {
        ids,
        principal,
        query: (text, given = []) =>
          this.database.read(principal.type, limit, (node) =>
            node.query(this.#statementOf(text), given, limit),
          ),
      };
      return field.load(request, limit);
    });
    if (!(values instanceof Map)) throw new TypeError('load returned no Map');
    return values;
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

function mayRead(principal: Principal, field: OwnField): boolean {
  return matchPrincipal(principal, {
    session: () => true,
    assistant: () => isShownToAssistants(field),
  });
}

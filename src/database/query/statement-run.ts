import pg, { type Connection, type FieldDef, type Submittable } from 'pg';
import type { Statement } from '../read-database.js';
import { bindMessage } from './bind-message.js';
import { rowFormat, type RowFormat } from './row-decoder.js';

/** A prepared statement of a connection. */
interface Prepared {
  readonly text: string;
  readonly rowFormat: RowFormat;
}

/** The prepared statements of a connection, by name. */
export type PreparedStatements = Map<string, Prepared>;

/** @param error null when all rows are there. */
export type OnRows = (error: Error | null, rows: unknown[]) => void;

const UNNAMED = '';

/** How the driver writes a parameter; its types leave it out. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => string } })
  .utils;

/**
 * One run of a statement, as the driver's clients take it in place of a query of their own (as those of
 * `pg-cursor` and `pg-query-stream` are).
 *
 * The columns of a prepared statement never change, so they are described once and kept with the
 * connection. The driver's own query has them described, sent, parsed and matched with types on every run:
 * for rows of forty columns a good part of what a read costs, here and in the server.
 */
export class StatementRun implements Submittable {
  /** Read by instrumentation of the driver. */
  readonly text: string;
  readonly #rows: unknown[] = [];
  #rowFormat: RowFormat | undefined;
  #failure: Error | null = null;
  #isSent = false;

  /** @param prepared on the client's connection; undefined where statements are not to have names. */
  constructor(
    private readonly statement: Statement,
    private readonly values: readonly unknown[],
    private readonly prepared: PreparedStatements | undefined,
    /** The driver, and instrumentation of it, expect a property of this name. */
    readonly callback: OnRows,
    /**
     * Sent together with this run, and given to the driver when this one has ended. A statement without a name
     * is not sent before its turn: a pooler in between may give the transactions to different servers.
     */
    readonly next?: StatementRun,
  ) {
    this.text = statement.text;
  }

  /** Whether the server was given it, be it running or waiting for its turn there. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Called by the driver when it is this run's turn. @returns why it cannot be sent. */
  submit(connection: Connection): Error | null {
    if (this.#isSent) return null;
    // One packet, not four for each run.
    connection.stream.cork();
    const failure = this.#sendWithNext(connection, new Set());
    connection.stream.uncork();
    return failure;
  }

  /** @param names of the statements sent with it: one becomes known with the end of its first run. */
  #sendWithNext(connection: Connection, names: Set<string>): Error | null {
    const { next, prepared, statement } = this;
    const failure = this.#send(connection);
    names.add(statement.name);
    if (failure || !next || !prepared || names.has(next.statement.name)) return failure;
    return next.#sendWithNext(connection, names);
  }

  #send(connection: Connection): Error | null {
    const { name, text } = this.statement;
    const before = this.prepared?.get(name);
    if (before && before.text !== text)
      return new Error(`two statements are named "${name}": give each a name of its own`);
    this.#rowFormat = before?.rowFormat;
    const statement = this.prepared ? name : UNNAMED;
    let values: string[];
    try {
      values = this.values.map((value) => prepareValue(value));
    } catch (error) {
      return error instanceof Error ? error : new Error('a parameter could not be written');
    }

    this.#isSent = true;
    if (before) {
      const { resultFormats } = before.rowFormat;
      connection.stream.write(bindMessage({ statement, values, resultFormats }));
    } else {
      connection.parse({ name: statement, text, types: [] }, true);
      connection.bind({ statement, values }, true);
      connection.describe({ type: 'P' }, true);
    }
    connection.execute(null, true);
    connection.sync();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#rowFormat = rowFormat(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push(this.#rowFormat?.decode(fields));
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error('a row could not be read');
    }
  }

  handleCommandComplete(): void {
    const { name, text } = this.statement;
    if (!this.prepared || this.prepared.has(name)) return;
    this.prepared.set(name, { text, rowFormat: this.#rowFormat ?? rowFormat([]) });
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure, this.#rows);
  }

  handleError(error: Error): void {
    this.callback(error, []);
  }

  handleEmptyQuery(): void {
    // An empty text is as complete as any; what follows says so.
  }

  handlePortalSuspended(): void {
    // Rows are never asked for in parts.
  }

  handleCopyInResponse(): void {
    // Nor is anything copied.
  }
}

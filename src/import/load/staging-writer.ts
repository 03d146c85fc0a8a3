import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { RECORD_KINDS, type ImportRecord, type RecordKind } from '../records/record-kinds.js';
import { copyText, type StagedTable } from './staged-table.js';
import { STAGED_TABLES } from './staged-tables.js';

// A connection copies into one table at a time: rows wait until they fill a batch of this many characters.
const BATCH_CHARACTERS = 512 * 1024;

interface Batch {
  rows: string[];
  characters: number;
}

/** Carries records into the temporary tables, in batches, so that memory does not grow with the file. */
export class StagingWriter {
  readonly #client: ClientBase;
  readonly #batches = new Map<RecordKind, Batch>();

  constructor(client: ClientBase) {
    this.#client = client;
  }

  /** Makes the temporary tables; they go with the transaction. */
  async open(): Promise<void> {
    for (const kind of RECORD_KINDS) {
      const { staging, columns, aside } = STAGED_TABLES[kind];
      const definitions = [...columns, ...aside].map(({ name, type }) => `${name} ${type}`);
      await this.#client.query(
        `CREATE TEMPORARY TABLE ${staging} (line integer NOT NULL, ${definitions.join(', ')}) ON COMMIT DROP`,
      );
    }
  }

  /** Takes a record; resolves at once while its batch has room. */
  async write(record: ImportRecord, line: number): Promise<void> {
    const kind = record.record;
    let batch = this.#batches.get(kind);
    if (!batch) {
      batch = { rows: [], characters: 0 };
      this.#batches.set(kind, batch);
    }
    const row = rowText(STAGED_TABLES[kind] as StagedTable<unknown>, record, line);
    batch.rows.push(row);
    batch.characters += row.length;
    if (batch.characters >= BATCH_CHARACTERS) await this.#flush(kind, batch);
  }

  /** Writes what is buffered, and analyzes the tables for the planner. */
  async close(): Promise<void> {
    for (const [kind, batch] of this.#batches) {
      if (batch.rows.length > 0) await this.#flush(kind, batch);
    }
    for (const kind of RECORD_KINDS)
      await this.#client.query(`ANALYZE ${STAGED_TABLES[kind].staging}`);
  }

  async #flush(kind: RecordKind, batch: Batch): Promise<void> {
    const { staging, columns, aside } = STAGED_TABLES[kind];
    const names = [...columns, ...aside].map(({ name }) => name);
    const text = batch.rows.join('');
    batch.rows = [];
    batch.characters = 0;
    const copy = this.#client.query(
      copyFrom(`COPY ${staging} (line, ${names.join(', ')}) FROM STDIN`),
    );
    copy.end(text);
    await once(copy, 'finish');
  }
}

function rowText(table: StagedTable<unknown>, record: ImportRecord, line: number): string {
  let text = String(line);
  for (const { type, value } of table.columns) text += `\t${copyText(value(record), type)}`;
  for (const { type, value } of table.aside) text += `\t${copyText(value(record), type)}`;
  return `${text}\n`;
}

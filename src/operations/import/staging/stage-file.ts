import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { LineSplitter, type Line } from '../lines/line-splitter.js';
import { isPrettyPrinted, ONE_OBJECT_A_LINE, parseLine } from '../lines/parse-line.js';
import { Problems } from '../records/problems.js';
import { rowOf, splitIntoStagingTables } from '../records/record-tables.js';
import type { FileKind } from '../records/records.js';

/**
 * Reads a file, checks each line and copies its records into the temporary tables.
 *
 * @param onRead called for each chunk, with its number of bytes and the number of records so far.
 * @returns the numbers of the file's records.
 * @throws {ImportRejectedError} with the problems of its lines.
 */
export async function stageFile(
  client: Client,
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  onRead: (bytes: number, records: number) => void,
): Promise<StagedCounts> {
  await client.query(
    'CREATE TEMPORARY TABLE staged (line integer, kind text, "row" jsonb) ON COMMIT DROP',
  );
  const lines = new StagedLines(await databaseClock(client));
  async function* allRows(): AsyncGenerator<string> {
    const splitter = new LineSplitter();
    for await (const chunk of source) {
      yield lines.rowsOf(splitter.push(chunk));
      onRead(chunk.length, lines.records);
    }
    yield lines.rowsOf(splitter.end());
  }
  await pipeline(Readable.from(allRows()), client.query(copyFrom('COPY staged FROM STDIN')));
  lines.end();
  await splitIntoStagingTables(client);
  return lines;
}

/** The numbers of records of a file, without the closing record. */
export interface StagedCounts {
  readonly records: number;
  readonly ofKind: Readonly<Partial<Record<FileKind, number>>>;
}

class StagedLines implements StagedCounts {
  records = 0;
  readonly ofKind: Partial<Record<FileKind, number>> = {};
  readonly #problems = new Problems();
  #lastLine = 0;
  #isLastLineWrong = false;
  #isEnd = false;
  /** Whether the file contains a record or a key that only `export` writes. */
  #isExport = false;

  constructor(private readonly clock: () => number) {}

  /**
   * Returns the rows in COPY's text format. After the first problem, the rest of the file is only
   * checked.
   */
  rowsOf(lines: Iterable<Line>): string {
    const nowMs = this.clock();
    let rows = '';
    for (const line of lines) rows += this.#rowOf(line, nowMs);
    return rows;
  }

  /** @throws {ImportRejectedError} when any line had a problem. */
  end(): void {
    // A wrong last line is where the file was cut off.
    if (this.#isExport && !this.#isEnd && !this.#isLastLineWrong) {
      // If the newest records of the export were missing, changes that are loaded later would get
      // stamps that clients have already passed.
      const reason =
        'must be followed by the closing record, which a file with `arrivedAt`, `recordedAt` or an erased buyer needs; the file may be incomplete';
      this.#problems.add({ line: this.#lastLine, reason });
    }
    this.#problems.throwIfAny();
  }

  #rowOf(line: Line, nowMs: number): string {
    if (this.#isEnd) this.#rejectAtOnce(line, 'must not follow the closing record');
    // A mistake of the whole file. Otherwise every further line would be reported too.
    if (this.records === 0) {
      if ('reason' in line) this.#rejectAtOnce(line, line.reason);
      if (isPrettyPrinted(line)) {
        const reason = `must be ${ONE_OBJECT_A_LINE}, not an array and not pretty-printed`;
        this.#rejectAtOnce(line, reason);
      }
    }
    const record = parseLine(line, nowMs, (problem) => this.#problems.add(problem));
    if (record?.record === 'end') {
      this.#isEnd = true;
      if (record.records !== this.records) {
        const reason = `must be ${this.records}, the number of records before it; the file may be incomplete`;
        this.#problems.add({ line: line.number, key: 'end.records', reason });
      }
      return '';
    }
    this.records += 1;
    this.#lastLine = line.number;
    this.#isLastLineWrong = record === null;
    if (!record || !this.#problems.isEmpty) return '';
    this.ofKind[record.record] = (this.ofKind[record.record] ?? 0) + 1;
    this.#isExport ||=
      record.record === 'erasedBuyer' || 'arrivedAt' in record || 'recordedAt' in record;
    // JSON escapes every character that COPY's text format interprets, except the backslash itself.
    const json = JSON.stringify(rowOf(record)).replaceAll('\\', '\\\\');
    return `${line.number}\t${record.record}\t${json}\n`;
  }

  #rejectAtOnce({ number }: Pick<Line, 'number'>, reason: string): void {
    this.#problems.add({ line: number, reason });
    this.#problems.throwIfAny();
  }
}

/**
 * Returns a function that returns the database's time, in milliseconds since 1970. The time
 * advances, because a file that is piped in slowly can contain times after the start of the import.
 */
async function databaseClock(client: Client): Promise<() => number> {
  const { rows } = await client.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS ms',
  );
  const startMs = (rows[0]?.ms ?? Date.now()) - performance.now();
  return () => startMs + performance.now();
}

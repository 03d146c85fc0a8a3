import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { LineSplitter, type Line } from './line-splitter.js';
import { isPrettyPrinted, ONE_OBJECT_A_LINE, parseLine } from './parse-line.js';
import { Problems } from './problems.js';
import type { FurtherRecord, ImportRecord } from './record-kinds.js';
import { spread } from './staged-tables.js';

/**
 * Reads a file, checks each line and carries its records into the temporary tables.
 *
 * @param onRead called for each piece that was read: its bytes, and the records so far.
 * @returns the number of the file's records, its closing record not counted.
 * @throws {ImportRefused} naming what is wrong with its lines.
 */
export async function stageFile(
  client: Client,
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  onRead: (bytes: number, records: number) => void,
): Promise<number> {
  await client.query(
    'CREATE TEMPORARY TABLE staged (line integer, kind text, record jsonb) ON COMMIT DROP',
  );
  const clock = await databaseClock(client);
  const splitter = new LineSplitter();
  const problems = new Problems();
  const seen = { records: 0, isEnd: false, isExport: false, lastLine: 0 };

  function refuseAtOnce(line: number, reason: string): void {
    problems.add({ line, reason });
    problems.throwIfAny();
  }
  /** The record of a line as a row of `staged`; '' for a line without one. */
  function rowOf(line: Line, nowMs: number): string {
    if (seen.isEnd) refuseAtOnce(line.number, 'must not follow the closing record');
    if (seen.records === 0 && isPrettyPrinted(line)) {
      // Every further line would be a problem too, and none of them the cause.
      refuseAtOnce(
        line.number,
        `must be ${ONE_OBJECT_A_LINE}, not an array and not pretty-printed`,
      );
    }
    const record = parseLine(line, nowMs, (problem) => problems.add(problem));
    if (record?.record === 'end') {
      seen.isEnd = true;
      if (record.records !== seen.records) {
        const reason = `must be ${seen.records}, the number of records before it; the file may be cut off`;
        problems.add({ line: line.number, key: 'end.records', reason });
      }
      return '';
    }
    seen.records += 1;
    seen.isExport ||= record !== null && isExported(record);
    seen.lastLine = line.number;
    // After the first problem the rest of the file is only checked.
    if (!record || problems.count > 0) return '';
    // JSON escapes what COPY's text form gives a meaning to, but for the backslash itself.
    const json = JSON.stringify(record).replaceAll('\\', '\\\\');
    return `${line.number}\t${record.record}\t${json}\n`;
  }
  function rowsOf(lines: Iterable<Line>): string {
    const nowMs = clock();
    let rows = '';
    for (const line of lines) rows += rowOf(line, nowMs);
    return rows;
  }
  async function* allRows(): AsyncGenerator<string> {
    for await (const chunk of source) {
      yield rowsOf(splitter.push(chunk));
      onRead(chunk.length, seen.records);
    }
    yield rowsOf(splitter.end());
  }
  await pipeline(Readable.from(allRows()), client.query(copyFrom('COPY staged FROM STDIN')));
  if (seen.isExport && !seen.isEnd) {
    // What came later would lie before what clients have seen.
    const reason = 'must be followed by the closing record of the export; the file is cut off';
    problems.add({ line: seen.lastLine, reason });
  }
  problems.throwIfAny();
  await spread(client);
  return seen.records;
}

/** Whether a record has what `export` alone writes. */
function isExported(record: ImportRecord | FurtherRecord): boolean {
  return record.record === 'erasedBuyer' || 'arrivedAt' in record || 'recordedAt' in record;
}

/** The database's time as it goes on: a file that is piped in slowly has times from after its start. */
async function databaseClock(client: Client): Promise<() => number> {
  const { rows } = await client.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS ms',
  );
  const startMs = (rows[0]?.ms ?? Date.now()) - performance.now();
  return () => startMs + performance.now();
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ImportProgress } from '../import-progress.js';
import { LineSplitter, type Line } from '../line-splitter.js';
import { isPrettyPrinted, ONE_OBJECT_A_LINE, parseLine } from '../parse-line.js';
import type { Problems } from '../problems.js';
import type { FurtherRecord, ImportRecord } from '../records/record-kinds.js';
import { keepErased } from './lasting-decisions.js';
import { createStaged, spreadStaged, stagedRow } from './staged-tables.js';

/**
 * Reads a file, checks each line and carries its records into the temporary tables.
 *
 * @param problems gets everything that is wrong with a line.
 * @returns the number of the file's records, its closing record not counted.
 */
export async function stageFile(
  client: Client,
  source: AsyncIterable<Buffer>,
  problems: Problems,
  progress: ImportProgress,
): Promise<number> {
  await createStaged(client);
  const clock = await databaseClock(client);
  const splitter = new LineSplitter();
  let records = 0;
  const seen = { isEnd: false, isExport: false, lastLine: 0 };

  const rowsOf = (lines: Iterable<Line>): string => {
    const nowMs = clock();
    let rows = '';
    for (const line of lines) {
      if (seen.isEnd) {
        problems.add({ line: line.number, reason: 'must not follow the closing record' });
        problems.throwIfAny();
      }
      if (records === 0 && isPrettyPrinted(line)) {
        // Every further line would be a problem too, and none of them the cause.
        const reason = `must be ${ONE_OBJECT_A_LINE}, not an array and not pretty-printed`;
        problems.add({ line: line.number, reason });
        problems.throwIfAny();
      }
      const record = parseLine(line, nowMs, (problem) => problems.add(problem));
      if (record?.record === 'end') {
        seen.isEnd = true;
        if (record.records !== records) {
          const reason = `must be ${records}, the number of records before it; the file may be cut off`;
          problems.add({ line: line.number, key: 'end.records', reason });
        }
        continue;
      }
      records += 1;
      seen.isExport ||= record !== null && isExported(record);
      seen.lastLine = line.number;
      // After the first problem the rest of the file is only checked.
      if (record && problems.count === 0) rows += stagedRow(line.number, record);
    }
    return rows;
  };
  async function* allRows(): AsyncGenerator<string> {
    for await (const chunk of source) {
      yield rowsOf(splitter.push(chunk));
      progress.read(chunk.length, records);
    }
    yield rowsOf(splitter.end());
  }
  await pipeline(Readable.from(allRows()), client.query(copyFrom('COPY staged FROM STDIN')));
  if (seen.isExport && !seen.isEnd) {
    // What came later would lie before what clients have seen.
    const reason = 'must be followed by the closing record of the export; the file is cut off';
    problems.add({ line: seen.lastLine, reason });
  }
  if (problems.count === 0) {
    await keepErased(client, problems);
    await spreadStaged(client);
  }
  return records;
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

import { createServer } from 'node:http';
import pg from 'pg';
import { parseIsoTime } from '../../../src/kernel/iso-time.js';
import { listJson, setJson } from '../peer-b/json.js';
import type { EntryRow, MemberRow } from '../peer-b/rows.js';
import { SQL } from '../peer-b/sql.js';

// The floor: bare node:http and one prepared statement. It has no sign-in: the caller names the buyer in
// a header of its own. Everyone is a session. Nothing that answers people can be faster than this.

const env = process.env;
const url = new URL(env['DATABASE_URL'] ?? '');
url.searchParams.set(
  'options',
  '-c role=deal_sets_reader -c timezone=UTC -c plan_cache_mode=force_generic_plan',
);
const driverParser = pg.types.getTypeParser.bind(pg.types) as (
  oid: number,
  format: string,
) => unknown;
const pool = new pg.Pool({
  connectionString: url.href,
  max: Number(env['DATABASE_POOL_SIZE'] ?? 10),
  idleTimeoutMillis: 0,
  types: {
    getTypeParser: ((oid: number, format: 'text') =>
      oid === 20
        ? Number
        : oid === 1184
          ? (text: string) => text
          : driverParser(oid, format)) as never,
  },
});
pool.on('error', () => undefined);

const PATH = '/api/v1/deal-sets';

async function answer(target: string, buyerId: string): Promise<string | undefined> {
  if (target.startsWith(`${PATH}/`)) {
    const id = target.slice(PATH.length + 1);
    const { rows } = await pool.query<MemberRow>({
      name: 'one',
      text: SQL.sessionOne,
      values: [buyerId, id],
    });
    return rows.length === 0 ? undefined : setJson(rows, false, false);
  }
  const since = new URLSearchParams(target.slice(PATH.length)).get('since');
  if (since === null) {
    const { rows } = await pool.query<EntryRow>({
      name: 'active',
      text: SQL.sessionActive,
      values: [buyerId],
    });
    return listJson(rows, false);
  }
  const { rows } = await pool.query<EntryRow>({
    name: 'since',
    text: SQL.sessionSince,
    values: [buyerId, new Date(parseIsoTime(since) ?? 0).toISOString()],
  });
  return listJson(
    rows.filter((entry) => (entry.id as string | null) !== null),
    false,
  );
}

const server = createServer((request, response) => {
  answer(request.url ?? '', String(request.headers['x-buyer'] ?? '')).then(
    (json) => {
      const body = json ?? '{"error":{"code":"not_found"}}';
      response
        .writeHead(json === undefined ? 404 : 200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
        })
        .end(body);
    },
    () => response.writeHead(503).end(),
  );
});
server.listen(Number(env['PORT']), env['HOST'] ?? '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeIdleConnections();
});

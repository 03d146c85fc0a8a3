import { hash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import pg from 'pg';
import { textTimes } from '../../src/database/row-types.js';
import type { PrincipalType } from '../../src/kernel/principal.js';
import { dealSetStatement, setJson, type Member } from '../server-b/result.js';

// The least that a server in Node.js can do for one deal set: `node:http`, one prepared statement,
// and the text of its rows, as server B writes it. It checks no credential, counts nothing and logs
// nothing, so it shows what is left to save, and cannot be shipped.

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
  types: textTimes,
  max: Number(process.env['DATABASE_POOL_SIZE']),
  idleTimeoutMillis: 0,
});

const STATEMENTS: Readonly<Record<PrincipalType, string>> = {
  session: dealSetStatement('session'),
  assistant: dealSetStatement('assistant'),
};

interface Caller {
  readonly type: PrincipalType;
  readonly buyerId: string;
  readonly isHosted: boolean;
}

/** The callers by their credential, each looked up once, before the measurement. */
const callers = new Map<string, Caller>();

async function callerOf({ authorization, cookie = '' }: IncomingHttpHeaders): Promise<Caller> {
  const credential = authorization ?? cookie;
  const known = callers.get(credential);
  if (known) return known;
  const caller = await (authorization === undefined ? buyerOf(cookie) : assistantOf(authorization));
  callers.set(credential, caller);
  return caller;
}

async function buyerOf(cookie: string): Promise<Caller> {
  const token = cookie.slice(cookie.indexOf('=') + 1);
  const { rows } = await pool.query<{ buyerId: string }>(
    'SELECT buyer_id AS "buyerId" FROM deal_sets.buyer_session WHERE token_sha256 = $1',
    [hash('sha256', token, 'buffer')],
  );
  return { type: 'session', buyerId: rows[0]!.buyerId, isHosted: false };
}

async function assistantOf(authorization: string): Promise<Caller> {
  const [, claims = ''] = authorization.split('.');
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string };
  const { rows } = await pool.query<{ isHosted: boolean }>(
    'SELECT is_hosted AS "isHosted" FROM deal_sets.assistant_grant WHERE buyer_id = $1 AND revoked_at IS NULL',
    [sub],
  );
  return { type: 'assistant', buyerId: sub, isHosted: rows[0]!.isHosted };
}

async function bodyOf(path: string, headers: IncomingHttpHeaders): Promise<string> {
  const { type, buyerId, isHosted } = await callerOf(headers);
  const values = [buyerId, path.slice(path.lastIndexOf('/') + 1)];
  const query = { name: type, text: STATEMENTS[type], values };
  return setJson((await pool.query<Member>(query)).rows, type === 'assistant', isHosted);
}

const server = createServer((request, response) => {
  bodyOf(request.url ?? '', request.headers).then(
    (body) => {
      const length = Buffer.byteLength(body);
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': length,
      });
      response.end(body);
    },
    () => response.writeHead(500).end(),
  );
});
process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeIdleConnections();
});
server.listen(Number(process.env['PORT']), process.env['HOST']);

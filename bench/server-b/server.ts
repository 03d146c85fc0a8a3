import { hash, randomUUID } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { pino } from 'pino';
import { textTimes } from '../../src/database/row-types.js';
import { serviceAsOf } from '../../src/deal-sets/domain/watermark.js';
import { FEED_PROBE } from '../../src/deal-sets/queries/feed-probe.js';
import { CONTRACT_HEADERS } from '../../src/http/context/contract-headers.js';
import { parseIsoTime } from '../../src/kernel/iso-time.js';
import { parseUuid } from '../../src/kernel/uuid.js';
import { rejectionOf, type Rejection } from '../rejections.js';
import { active, changedSince, listJson, shown, type PageRow, type Replies } from './lists.js';
import { dealSetStatement, setJson, type Member } from './result.js';

// The whole service, written by hand to implement the contract in as few steps as possible: no
// framework above Fastify, no ports, one database role, and all routes in this file.

const env = process.env;
const log = pino(
  { base: null },
  pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 1_000 }),
);
const keys = createRemoteJWKSet(new URL(env['AUTH_JWKS_URL'] ?? ''));
const rateLimit = Number(env['READ_RATE_LIMIT'] ?? 120);
/** How far the watermark stays behind the clock, in milliseconds. */
const MARGIN_MS = 1_000;

/**
 * The statements by name. Each statement is one round trip. The session statement also checks
 * whether the session has expired.
 */
const SQL = {
  grant: `SELECT 'offers:read' = ANY (g.scopes) AS "mayRead", g.is_hosted AS "isHosted", b.changes_granted AS "seesChanges"
    FROM deal_sets.assistant_grant g JOIN deal_sets.buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL
      AND (g.expires_at IS NULL OR g.expires_at > now())
      AND g.granted_at <= to_timestamp($3) + interval '30 seconds'`,
  session: `SELECT buyer_id AS "buyerId" FROM deal_sets.buyer_session
    WHERE token_sha256 = $1 AND revoked_at IS NULL AND expires_at > now()`,
  // This is the service's own statement, because the service defines the locks that writers hold.
  probe: FEED_PROBE.text,
  sessionActive: active('session'),
  sessionSince: changedSince('session'),
  sessionOne: dealSetStatement('session'),
  assistantActive: active('assistant'),
  assistantSince: changedSince('assistant'),
  assistantOne: dealSetStatement('assistant'),
  // $1 buyer, $2 request ids, $3 since. Only price checks of deal sets are looked up, because the
  // price check of a single request has the request's id.
  replies: `SELECT CASE
      WHEN r.price_check_id <> r.request_id THEN 'deal_set'
      WHEN (SELECT p.deal_set_id FROM deal_sets.price_check p
        WHERE p.buyer_id = r.buyer_id AND p.id = r.price_check_id) IS NULL THEN 'single'
      ELSE 'deal_set' END || r.request_id AS key,
    count(*) AS count, max(r.feed_at) AS "latestAt"
  FROM deal_sets.reply r
  WHERE r.buyer_id = $1 AND r.request_id = ANY ($2::uuid[]) AND r.feed_at > $3::timestamptz
  GROUP BY 1`,
} as const;

const url = new URL(env['DATABASE_URL'] ?? '');
url.searchParams.set(
  'options',
  '-c default_transaction_read_only=on -c statement_timeout=8000 -c timezone=UTC -c plan_cache_mode=force_generic_plan',
);
const pool = new pg.Pool({
  connectionString: url.href,
  types: textTimes,
  max: Number(env['DATABASE_POOL_SIZE'] ?? 10),
  idleTimeoutMillis: 0,
});
pool.on('error', () => undefined);

async function rows<Row>(name: keyof typeof SQL, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ name, text: SQL[name], values })).rows as Row[];
}

interface Caller {
  readonly buyerId: string;
  /** The key by which requests are counted for the rate limit. */
  readonly key: string;
  readonly isAssistant: boolean;
  readonly isHosted: boolean;
  /** Whether responses to the caller contain `changes`. True for assistants only. */
  readonly seesChanges: boolean;
  readonly mayRead: boolean;
}

interface Token {
  readonly buyerId: string;
  readonly clientId: string;
  readonly mayRead: boolean;
  /** In seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}
const tokens = new Map<string, Token>();

async function verified(text: string): Promise<Token | undefined> {
  const known = tokens.get(text);
  if (known) return known.expiresAt > Date.now() ? known : undefined;
  try {
    const { payload } = await jwtVerify(text, keys, {
      issuer: env['AUTH_ISSUER'] ?? '',
      audience: env['AUTH_AUDIENCE'] ?? '',
      typ: 'at+jwt',
      algorithms: ['ES256', 'RS256'],
      requiredClaims: ['sub', 'exp', 'iat', 'client_id'],
    });
    const token = {
      buyerId: payload.sub ?? '',
      clientId: payload['client_id'] as string,
      mayRead: String(payload['scope']).split(' ').includes('offers:read'),
      issuedAt: payload.iat ?? 0,
      expiresAt: (payload.exp ?? 0) * 1000,
    };
    if (tokens.size >= 5_000) tokens.clear();
    tokens.set(text, token);
    return token;
  } catch {
    return undefined;
  }
}

const SESSION = { isAssistant: false, isHosted: false, seesChanges: false, mayRead: true };

async function signIn({ headers }: FastifyRequest): Promise<Caller | undefined> {
  if (headers.authorization !== undefined) {
    if (!headers.authorization.startsWith('Bearer ')) return undefined;
    const token = await verified(headers.authorization.slice(7));
    if (!token) return undefined;
    const { buyerId, clientId, issuedAt } = token;
    type Grant = Pick<Caller, 'isHosted' | 'seesChanges' | 'mayRead'>;
    const [grant] = await rows<Grant>('grant', [buyerId, clientId, issuedAt]);
    if (!grant) return undefined;
    const mayRead = token.mayRead && grant.mayRead;
    return { ...grant, mayRead, buyerId, key: buyerId + clientId, isAssistant: true };
  }
  const value = /(?:^|; )__Host-session=([^;]{16,512})/.exec(headers.cookie ?? '')?.[1];
  if (value === undefined) return undefined;
  const sha256 = hash('sha256', value, 'buffer');
  const [session] = await rows<{ buyerId: string }>('session', [sha256]);
  return session && { ...SESSION, buyerId: session.buyerId, key: session.buyerId };
}

const rollout = { list: env['ROLLOUT_LIST'] ?? 'on', get: env['ROLLOUT_GET'] ?? 'on' };
let counts = new Map<string, number>();
setInterval(() => (counts = new Map()), 60_000).unref();

/** Returns the caller, or the rejection of the request. */
async function admit(
  request: FastifyRequest,
  endpoint: 'list' | 'get',
): Promise<Caller | Rejection> {
  const caller = await signIn(request);
  if (!caller) return 'unauthenticated';
  const flag = rollout[endpoint];
  if (flag !== 'on' && !flag.includes(caller.buyerId)) return 'not_found';
  if (!caller.mayRead) return 'insufficient_scope';
  const count = (counts.get(caller.key) ?? 0) + 1;
  if (count > rateLimit) return 'rate_limited';
  counts.set(caller.key, count);
  return caller;
}

const send = (reply: FastifyReply, json: string): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(json);

function refuse(reply: FastifyReply, refusal: Rejection): FastifyReply {
  const { status, body, challenge } = rejectionOf(refusal);
  if (challenge) reply.header('www-authenticate', challenge);
  return send(reply.code(status), body);
}

const app = Fastify({ logger: false, disableRequestLogging: true });
const constant = Object.fromEntries(CONTRACT_HEADERS);

app.addHook('onRequest', (request, reply, done) => {
  reply.headers({ ...constant, 'service-request-id': (request.id = randomUUID()) });
  done();
});
app.addHook('onResponse', (request, reply, done) => {
  const { statusCode: status, elapsedTime: ms } = reply;
  log.info({ id: request.id, route: request.routeOptions.url, status, ms }, 'request');
  done();
});
app.setErrorHandler((_error, _request, reply) => refuse(reply, 'unavailable'));
app.setNotFoundHandler((_request, reply) => refuse(reply, 'not_found'));

app.get<{ Querystring: { since?: string } }>('/api/v1/deal-sets', async (request, reply) => {
  const caller = await admit(request, 'list');
  if (typeof caller === 'string') return refuse(reply, caller);
  const { buyerId, isAssistant } = caller;
  const { since } = request.query;
  if (since === undefined) {
    const found = await rows<PageRow>(isAssistant ? 'assistantActive' : 'sessionActive', [buyerId]);
    const { entries, hasMore } = shown(found);
    reply.header('service-more', String(hasMore));
    return send(reply, listJson(entries, isAssistant));
  }
  const sinceMs = typeof since === 'string' ? parseIsoTime(since) : null;
  if (sinceMs === null) return refuse(reply, 'invalid_request');
  const from = new Date(sinceMs).toISOString();
  const [probe] = await rows<{ isQuiet: boolean; readAtMs: number }>('probe', [buyerId]);
  const page = await rows<PageRow>(isAssistant ? 'assistantSince' : 'sessionSince', [
    buyerId,
    from,
  ]);
  const [reading] = page;
  if (!probe || !reading) return refuse(reply, 'unavailable');
  const entries = page.filter(({ id }) => (id as string | null) !== null);
  const replies = caller.seesChanges ? await repliesOf(buyerId, entries, from) : undefined;
  const { hasMore, edgeMs: lastFeedAtMs, newestMs } = reading;
  const snapshot = { ...probe, lastFeedAtMs, hasMore, newestMs };
  reply.headers({
    'service-more': String(hasMore),
    'service-as-of': new Date(serviceAsOf(sinceMs, snapshot, MARGIN_MS)).toISOString(),
  });
  return send(reply, listJson(entries, isAssistant, replies));
});

async function repliesOf(
  buyerId: string,
  entries: readonly PageRow[],
  since: string,
): Promise<Replies> {
  if (entries.length === 0) return new Map();
  const ids = entries.map(({ id }) => id);
  type Tally = { key: string; count: number; latestAt: string };
  const tallies = await rows<Tally>('replies', [buyerId, ids, since]);
  return new Map(tallies.map((tally) => [tally.key, tally]));
}

app.get<{ Params: { id: string } }>('/api/v1/deal-sets/:id', async (request, reply) => {
  const caller = await admit(request, 'get');
  if (typeof caller === 'string') return refuse(reply, caller);
  const { buyerId, isAssistant, isHosted } = caller;
  const id = parseUuid(request.params.id);
  if (id === undefined) return refuse(reply, 'not_found');
  const members = await rows<Member>(isAssistant ? 'assistantOne' : 'sessionOne', [buyerId, id]);
  if (members.length === 0) return refuse(reply, 'not_found');
  return send(reply, setJson(members, isAssistant, isHosted));
});

process.once('SIGTERM', () => {
  void app.close().then(() => pool.end());
});
await app.listen({ host: env['HOST'] ?? '127.0.0.1', port: Number(env['PORT']) });

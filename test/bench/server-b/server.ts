import { hash, randomUUID } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { pino } from 'pino';
import { serviceAsOf } from '../../../src/deal-sets/domain/feed-position.js';
import { parseIsoTime } from '../../../src/kernel/iso-time.js';
import { WORDS, type Refusal } from './answers.js';
import { listJson, setJson, type Replies } from './json.js';
import type { EntryRow, MemberRow, PageRow } from './rows.js';
import { SQL } from './statements.js';

// The whole service, hand-written: no framework above Fastify, no ports, no roles apart, one file for the
// requests. It does what the contract asks for in the fewest steps its writer could think of.

const env = process.env;
const log = pino(
  { base: null },
  pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 1_000 }),
);
const keys = createRemoteJWKSet(new URL(env['AUTH_JWKS_URL'] ?? ''));
const rateLimit = Number(env['READ_RATE_LIMIT'] ?? 120);
/** How far the answer's time is behind the clock. */
const MARGIN_MS = 1_000;

const asText = (text: string): string => text;
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: asText,
};
const url = new URL(env['DATABASE_URL'] ?? '');
url.searchParams.set(
  'options',
  '-c role=deal_sets_reader -c default_transaction_read_only=on -c statement_timeout=8000 -c timezone=UTC -c plan_cache_mode=force_generic_plan',
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
      PARSERS[oid] ?? driverParser(oid, format)) as never,
  },
});
pool.on('error', () => undefined);

async function rows<Row>(name: keyof typeof SQL, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ name, text: SQL[name], values })).rows as Row[];
}

interface Caller {
  buyerId: string;
  /** Whom the rate limit counts. */
  key: string;
  isAssistant: boolean;
  isHosted: boolean;
  /** Of assistants alone. */
  seesChanges: boolean;
  mayRead: boolean;
}

interface Token {
  buyerId: string;
  clientId: string;
  mayRead: boolean;
  expiresAt: number;
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
      requiredClaims: ['sub', 'exp', 'client_id'],
    });
    const token = {
      buyerId: payload.sub ?? '',
      clientId: payload['client_id'] as string,
      mayRead: String(payload['scope']).split(' ').includes('offers:read'),
      expiresAt: (payload.exp ?? 0) * 1000,
    };
    if (tokens.size >= 5_000) tokens.clear();
    tokens.set(text, token);
    return token;
  } catch {
    return undefined;
  }
}

async function signIn({ headers }: FastifyRequest): Promise<Caller | undefined> {
  if (headers.authorization !== undefined) {
    if (!headers.authorization.startsWith('Bearer ')) return undefined;
    const token = await verified(headers.authorization.slice(7));
    if (!token) return undefined;
    const [grant] = await rows<{ may_read: boolean; is_hosted: boolean; changes_granted: boolean }>(
      'grant',
      [token.buyerId, token.clientId],
    );
    if (!grant) return undefined;
    return {
      buyerId: token.buyerId,
      key: token.buyerId + token.clientId,
      isAssistant: true,
      isHosted: grant.is_hosted,
      seesChanges: grant.changes_granted,
      mayRead: token.mayRead && grant.may_read,
    };
  }
  const value = /(?:^|; )__Host-session=([^;]{16,512})/.exec(headers.cookie ?? '')?.[1];
  if (value === undefined) return undefined;
  const [session] = await rows<{ buyer_id: string }>('session', [hash('sha256', value, 'buffer')]);
  if (!session) return undefined;
  return {
    buyerId: session.buyer_id,
    key: session.buyer_id,
    isAssistant: false,
    isHosted: false,
    seesChanges: false,
    mayRead: true,
  };
}

const rollout: Readonly<Record<'list' | 'get', string>> = {
  list: env['ROLLOUT_LIST'] ?? 'on',
  get: env['ROLLOUT_GET'] ?? 'on',
};
let counts = new Map<string, number>();
setInterval(() => (counts = new Map()), 60_000).unref();

function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, body, challenge } = WORDS[refusal];
  if (challenge) reply.header('www-authenticate', challenge);
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
}

/** The caller, or the refusal that her request gets. */
async function admit(request: FastifyRequest, endpoint: 'list' | 'get'): Promise<Caller | Refusal> {
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

function send(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
}

const app = Fastify({ logger: false, disableRequestLogging: true });

app.addHook('onRequest', (request, reply, done) => {
  reply.headers({
    'cache-control': 'private, no-store',
    'service-api-version': '2026-10-13',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'service-request-id': (request.id = randomUUID()),
  });
  done();
});
app.addHook('onResponse', (request, reply, done) => {
  log.info(
    {
      id: request.id,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
    },
    'request',
  );
  done();
});
app.setErrorHandler((_error, _request, reply) => refuse(reply, 'unavailable'));
app.setNotFoundHandler((_request, reply) => refuse(reply, 'not_found'));

app.get<{ Querystring: { since?: string } }>('/api/v1/deal-sets', async (request, reply) => {
  const caller = await admit(request, 'list');
  if (typeof caller === 'string') return refuse(reply, caller);
  const { since } = request.query;
  if (since === undefined) {
    const entries = await rows<EntryRow & { has_more: boolean }>(
      caller.isAssistant ? 'assistantActive' : 'sessionActive',
      [caller.buyerId],
    );
    reply.header('service-more', String(entries[0]?.has_more ?? false));
    return send(reply, listJson(entries, caller.isAssistant));
  }
  const sinceMs = typeof since === 'string' ? parseIsoTime(since) : null;
  if (sinceMs === null) return refuse(reply, 'invalid_request');
  const sinceText = new Date(sinceMs).toISOString();
  const [probe] = await rows<{ is_quiet: boolean; read_at_ms: number }>('probe', [caller.buyerId]);
  const page = await rows<PageRow>(caller.isAssistant ? 'assistantSince' : 'sessionSince', [
    caller.buyerId,
    sinceText,
  ]);
  const [reading] = page;
  if (!probe || !reading) return refuse(reply, 'unavailable');
  const entries = page.filter(({ id }) => (id as string | null) !== null);
  const replies = caller.seesChanges ? await repliesOf(caller, entries, sinceText) : undefined;
  const snapshot = {
    readAtMs: probe.read_at_ms,
    isQuiet: probe.is_quiet,
    lastFeedAtMs: reading.page_edge_ms,
    hasMore: reading.has_more,
    newestMs: reading.newest_ms,
  };
  reply.headers({
    'service-more': String(reading.has_more),
    'service-as-of': new Date(serviceAsOf(sinceMs, snapshot, MARGIN_MS)).toISOString(),
  });
  return send(reply, listJson(entries, caller.isAssistant, replies));
});

async function repliesOf(
  { buyerId }: Caller,
  entries: readonly EntryRow[],
  since: string,
): Promise<Replies> {
  if (entries.length === 0) return new Map();
  const tallies = await rows<{
    kind: string;
    request_id: string;
    count: number;
    latest_at: string;
  }>('replies', [buyerId, entries.map(({ id }) => id), since]);
  return new Map(tallies.map((tally) => [tally.kind + tally.request_id, tally]));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

app.get<{ Params: { id: string } }>('/api/v1/deal-sets/:id', async (request, reply) => {
  const caller = await admit(request, 'get');
  if (typeof caller === 'string') return refuse(reply, caller);
  const { id } = request.params;
  if (!UUID.test(id)) return refuse(reply, 'not_found');
  const members = await rows<MemberRow>(caller.isAssistant ? 'assistantOne' : 'sessionOne', [
    caller.buyerId,
    id,
  ]);
  if (members.length === 0) return refuse(reply, 'not_found');
  return send(reply, setJson(members, caller.isAssistant, caller.isHosted));
});

process.once('SIGTERM', () => {
  void app.close().then(() => pool.end());
});
await app.listen({ host: env['HOST'] ?? '127.0.0.1', port: Number(env['PORT']) });

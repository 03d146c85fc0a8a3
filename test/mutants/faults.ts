import type { Fault } from './fault.js';
import { NONINTERFERENCE, WIDE_OPEN, WITHHELD_FAULTS } from './withheld-faults.js';

const feed = (suite: string, test: string): Fault['failing'] => ({
  suites: `api/feed/${suite}.spec`,
  test,
});

const FEED: readonly Fault[] = [
  {
    plants: 'a page of the feed is cut between requests of one stamp',
    where: 'src/deal-sets/queries/entry-statements.ts',
    from: 'ROWS WITH TIES',
    to: 'ROWS ONLY',
    failing: feed('paging', 'requests of one instant on one page'),
  },
  {
    plants: 'the probe runs after the page',
    where: 'src/deal-sets/queries/deal-set-queries.ts',
    from: 'const [probed] = node.isReplica',
    to: 'await node.query<PageRow>(changedSince, values, signal).then((page) => (early = page)); const [probed] = node.isReplica',
    also: [
      {
        where: 'src/deal-sets/queries/deal-set-queries.ts',
        from: 'const rows = await node.query<PageRow>(changedSince, values, signal);',
        to: 'const rows = early;',
      },
      {
        where: 'src/deal-sets/queries/deal-set-queries.ts',
        from: 'const values = [buyerId, formatIsoTime(sinceMs)];',
        to: 'let early: PageRow[] = []; const values = [buyerId, formatIsoTime(sinceMs)];',
      },
    ],
    failing: feed('between-statements', 'stamped before them and is committed between them'),
  },
  {
    plants: 'Service-As-Of has no margin of a millisecond behind the clock',
    where: 'src/deal-sets/domain/feed-position.ts',
    from: 'Math.max(1, marginMs)',
    to: 'marginMs',
    failing: { suites: 'domain/feed-position', test: 'at least a millisecond behind the clock' },
  },
  {
    plants: 'since is rounded, not truncated',
    where: 'src/kernel/iso-time.ts',
    from: `Number(fraction.slice(0, 3).padEnd(3, '0'))`,
    to: 'Math.round(Number(`0.${fraction}`) * 1000)',
    failing: { suites: 'kernel/iso-time' },
  },
  {
    plants: 'the stamp is rounded up, not truncated',
    where: 'function feed_stamp_buyer',
    from: `greatest(date_trunc('milliseconds', clock_timestamp())`,
    to: `greatest(date_trunc('milliseconds', clock_timestamp() + interval '999 us')`,
    failing: feed('paging', 'in strictly rising whole milliseconds'),
  },
  {
    plants: 'the stamp is the time at which the transaction began',
    where: 'function feed_stamp_buyer',
    from: `greatest(date_trunc('milliseconds', clock_timestamp())`,
    to: `greatest(date_trunc('milliseconds', now())`,
    failing: feed('open-writers', 'written before the poll and committed after it'),
  },
  {
    plants: 'the stamp may be earlier than the newest',
    where: 'function feed_stamp_buyer',
    from: 'max(f.feed_at)',
    to: 'max(NULL::timestamptz)',
    failing: feed('metrics', 'loses nothing of a buyer whose newest change lies ahead of it'),
  },
  {
    plants: 'a writer takes no lock on its buyer',
    where: 'function feed_stamp',
    from: 'PERFORM pg_advisory_xact_lock(deal_sets.feed_lock_key(NEW.buyer_id));',
    to: '',
    failing: feed('open-writers', 'delivers what it changes after its stamp'),
  },
  {
    plants: 'a writer takes the lock on its buyer at the first change, not at the commit',
    where: 'function feed_mark',
    from: 'IF is_delete THEN',
    to: 'PERFORM pg_advisory_xact_lock(deal_sets.feed_lock_key(buyer)); IF is_delete THEN',
    failing: feed('open-writers', 'does not hold Service-As-Of before it has stamped anything'),
  },
  {
    plants: 'a writer of many buyers takes no lock',
    where: 'function feed_stamp',
    from: 'PERFORM pg_advisory_xact_lock(deal_sets.feed_group_key(feed_group));',
    to: 'NULL;',
    failing: feed('many-buyers', 'holds Service-As-Of of all between its stamp and its commit'),
  },
  {
    plants: 'a request is pending although its row stays equal',
    where: 'database',
    to: `CREATE OR REPLACE TRIGGER feed_update AFTER UPDATE ON price_check
      FOR EACH ROW EXECUTE FUNCTION deal_sets.price_check_changed()`,
    failing: feed('feed-changes', 'an update to the same values'),
  },
  {
    plants: 'the stamp of a reply is a change of it',
    where: 'database',
    to: `CREATE OR REPLACE TRIGGER feed_update AFTER UPDATE ON reply
      FOR EACH ROW EXECUTE FUNCTION deal_sets.message_changed()`,
    failing: feed('changes', 'has the stamp of its request'),
  },
  {
    plants: 'a setting of the session turns history mode on',
    where: 'function feed_is_history',
    from: 'RETURN EXISTS',
    to: 'RETURN true OR EXISTS',
    failing: feed('history-mode', 'a setting of the session'),
  },
  {
    plants: 'a deleted request stays in the feed',
    where: 'function request_recompute',
    from: 'DELETE FROM public.request_feed f WHERE',
    to: 'UPDATE public.request_feed f SET needs_recompute = false, is_pending = false WHERE',
    failing: feed('feed-changes', 'a single that becomes a member'),
  },
  {
    plants: 'a rebuild does not lock the requests of the buyer',
    where: 'function rebuild_buyer',
    from: 'FOR UPDATE;',
    to: ';',
    failing: feed('rebuild', 'waits for the one who was first'),
  },
  {
    plants: 'rows of a logical replication are not followed',
    where: 'database',
    to: `ALTER TABLE price_check ENABLE TRIGGER feed_row`,
    failing: feed('replication-and-copy', 'rows of a logical replication'),
  },
  {
    plants: 'nothing follows the new name of a dealership',
    where: 'function dealership_changed',
    from: 'UPDATE public.price_check p SET name_md5 = NULL WHERE p.buyer_id = row_key.buyer_id AND p.id = row_key.id;',
    to: '',
    failing: feed('many-buyers', 'moves the requests of every buyer who sees the name'),
  },
  {
    plants: 'a new name of a dealership marks requests in the order on disk',
    where: 'function dealership_changed',
    from: 'ORDER BY p.buyer_id, p.request_id, p.id',
    to: '',
    failing: feed('many-buyers', 'in the order of their ids'),
  },
  {
    plants: 'a new name of a dealership does not wait for writers of its price checks',
    where: 'function dealership_changed',
    from: 'PERFORM pg_advisory_xact_lock(deal_sets.dealership_lock_key(NEW.id));',
    to: '',
    failing: { suites: 'redaction/listings', test: 'adds meanwhile' },
  },
  {
    plants: 'a price check does not wait for a renaming of its dealership',
    where: 'function price_check_shows',
    from: 'PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(NEW.dealership_id));',
    to: '',
    failing: { suites: 'redaction/listings', test: 'still open' },
  },
  {
    plants: 'a replica is trusted like the primary',
    where: 'src/deal-sets/queries/deal-set-queries.ts',
    from: 'const [probed] = node.isReplica',
    to: 'const [probed] = false',
    also: [
      {
        where: 'src/deal-sets/queries/entry-statements.ts',
        from: 'AND NOT pg_is_in_recovery()',
        to: '',
      },
    ],
    failing: feed('replicas', 'Service-As-Of follows that'),
  },
  {
    plants: 'replies are counted by their receipt',
    where: 'src/deal-sets/queries/entry-statements.ts',
    from: 'n.feed_at > $2',
    to: 'n.received_at > $2',
    failing: feed('changes', 'a reply that is recorded long after it was received'),
  },
];

const READS: readonly Fault[] = [
  {
    plants: 'the plain list shows requests that have ended',
    where: 'src/deal-sets/queries/entry-statements.ts',
    from: 'AND f.is_active',
    to: '',
    failing: {
      suites: 'deal-sets/plain-list',
      test: 'never counts ended requests as left out',
    },
  },
  {
    plants: 'latestActivityAt is not null when the time is unknown',
    where: 'src/deal-sets/queries/entry-statements.ts',
    from: 'CASE WHEN r.is_time_known THEN r.feed_at END',
    to: 'r.feed_at',
    failing: feed('paging', 'a request of unknown time'),
  },
  {
    plants: 'the group of the unknown trim comes first',
    where: 'src/deal-sets/domain/ranking.ts',
    from: 'Number(a === null) - Number(b === null)',
    to: 'Number(b === null) - Number(a === null)',
    failing: { suites: 'domain/ranking', test: 'the unknown trim last' },
  },
  {
    plants: 'the hero of the read model is a row of the unknown trim',
    where: 'function request_summary',
    from: 'array_agg(r.distance_miles::double precision ORDER BY r.otd_cents,',
    to: 'array_agg(r.distance_miles::double precision ORDER BY r.otd_cents, (r.shown_trim IS NOT NULL),',
    failing: feed('read-model', 'the hero of the ranking among rows of one price'),
  },
  {
    plants: 'the client of a cancelled read is neither held nor destroyed',
    where: 'src/database/cancellable-reads.ts',
    from: 'void abandon(client, release, running)',
    to: 'void (cancelStatement(client, CANCEL_LIMIT_MS), release())',
    failing: {
      suites: 'faults/read-database',
      test: 'never lends that connection again',
    },
  },
];

const order = (test: string): Fault['failing'] => ({ suites: 'sign-in/order-of-checks', test });

const ACCESS: readonly Fault[] = [
  {
    plants: 'the scope is checked before the rollout',
    where: 'src/http/endpoint.decorator.ts',
    from: `RolloutGuard,
      ScopeGuard,`,
    to: `ScopeGuard,
      RolloutGuard,`,
    failing: order('checks rollout before scope'),
  },
  {
    plants: 'the rate is counted before the scope is checked',
    where: 'src/http/endpoint.decorator.ts',
    from: `ScopeGuard,
      ReadRateGuard,`,
    to: `ReadRateGuard,
      ScopeGuard,`,
    failing: order('checks scope before rate'),
  },
  {
    plants: 'calls that the rate limit refused are counted',
    where: 'src/rate-limit/rate-limiter.ts',
    from: 'blockDuration: 0,',
    to: 'blockDuration: 60_000,',
    failing: { suites: 'sign-in/rate-limit', test: 'always admits a client that obeys' },
  },
  {
    plants: 'routes of a class are counted apart',
    where: 'src/rate-limit/read-rate.guard.ts',
    from: 'return keyOf(policyOf(context).rateClass, tracker);',
    to: 'return keyOf(context.getHandler().name, tracker);',
    failing: { suites: 'sign-in/rate-limit' },
  },
  {
    plants: 'a revoked approval is accepted',
    where: 'src/auth/grant-store.ts',
    from: 'AND g.revoked_at IS NULL',
    to: '',
    failing: { suites: 'sign-in/tokens', test: 'after its approval was revoked' },
  },
  {
    plants: 'passport-jwt verifies no signature',
    where: 'node_modules/passport-jwt/lib/strategy.js',
    from: 'JwtStrategy.JwtVerifier(token, secretOrKey,',
    to: `((given, _key, _options, done) => {
              const [header, payload] = given.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')));
              done(null, { header, payload });
            })(token, secretOrKey,`,
    failing: { suites: 'sign-in/tokens', test: 'another key' },
  },
  {
    plants: 'an unknown key makes a token unverifiable, not wrong',
    where: 'src/auth/access-token.strategy.ts',
    from: `if (!key) throw new AppError('unauthenticated', { refusal: 'unknown_key' })`,
    to: `if (!key) throw new AppError('auth_unverifiable')`,
    failing: { suites: 'sign-in/tokens', test: 'an unknown kid' },
  },
  {
    plants: 'the issuer is not asked again about an unknown key',
    where: 'src/auth/remote-issuer.ts',
    from: '(this.#good?.askedAt ?? -Infinity) >= presentedAt',
    to: 'this.#good !== undefined',
    failing: { suites: 'sign-in/issuer-key-set' },
  },
  {
    plants: 'a token for another resource opens MCP',
    where: 'src/auth/access-token.strategy.ts',
    from: '!accessToken.audiences.some((name) => audiences.includes(name))',
    to: 'accessToken.audiences.length === 0',
    failing: {
      suites: 'mcp/endpoint',
      test: 'admits a token for its own address or the origin alone',
    },
  },
  {
    plants: 'any web page may call MCP',
    where: 'src/http/protected-resource.guard.ts',
    from: '!isOwnHost || !isOwnOrigin',
    to: '!isOwnHost && !isOwnOrigin',
    failing: { suites: 'mcp/endpoint', test: 'before it looks at the credential' },
  },
];

const REDACTION: readonly Fault[] = [
  {
    plants: 'only the declarations of the responses withhold',
    ...WIDE_OPEN[0],
    also: [WIDE_OPEN[1]],
    failing: { suites: 'redaction/(noninterference.spec|withholding)' },
    isHarmless: true,
  },
  {
    plants: 'an assistant’s reads run under the buyer’s role',
    where: 'src/database/reading-source.ts',
    from: `'deal_sets_assistant'`,
    to: `'deal_sets_reader'`,
    failing: { suites: 'redaction/roles-in-use', test: 'run under its role, reading only' },
  },
  {
    plants: 'an assistant’s list takes one statement more',
    where: 'src/deal-sets/queries/deal-set-queries.ts',
    from: 'const rows = await node.query<Row>(active, [buyerId], signal);',
    to: `const rows = await node.query<Row>(active, [buyerId], signal);
      if (type === 'assistant') await node.query({ name: 'more', text: 'SELECT 1' }, [], signal);`,
    failing: { suites: 'redaction/roles-in-use', test: 'take no more round trips' },
  },
  {
    plants: 'the ids of members are in the order of their distance',
    where: 'function request_summary',
    from: `',' ORDER BY r.id`,
    to: `',' ORDER BY r.distance_miles, r.id`,
    failing: NONINTERFERENCE,
  },
  {
    plants: 'a hosted assistant gets the partner flag',
    where: 'src/redaction/redact.ts',
    from: `isHosted ? 'hosted-assistant' : 'assistant'`,
    to: `isHosted ? 'assistant' : 'assistant'`,
    failing: { suites: 'redaction/withholding', test: 'differ from the buyer’s in what' },
  },
  {
    plants: 'the label of a row is the dealership’s name for an assistant',
    where: 'src/deal-sets/view/deal-set-result-view.ts',
    from: 'SEES_NAMES[context.principalType] && row.dealershipName',
    to: 'row.dealershipName',
    failing: { suites: 'view/views', test: 'names a dealership to the buyer alone' },
  },
  {
    plants: 'the label of a single request is the dealership’s name for an assistant',
    where: 'src/deal-sets/view/list-entry-view.ts',
    from: 'dealerLabel: SEES_NAMES[type]',
    to: 'dealerLabel: single.dealershipName',
    also: WIDE_OPEN,
    failing: NONINTERFERENCE,
  },
  {
    plants: 'chosenLabels are the dealerships’ names for an assistant',
    where: 'src/deal-sets/view/list-entry-view.ts',
    from: 'SEES_NAMES[type] ? set.chosenNames : null',
    to: 'set.chosenNames',
    also: WIDE_OPEN,
    failing: NONINTERFERENCE,
  },
  {
    plants: 'an assistant learns which drafts are short',
    where: 'src/deal-sets/view/deal-set-result-view.ts',
    from: 'SEES_WORDS[principalType] && item.opening',
    to: 'item.opening',
    also: [
      ...WIDE_OPEN,
      { where: 'src/redaction/field.ts', from: `assistant: 'false'`, to: `assistant: 'same'` },
    ],
    failing: NONINTERFERENCE,
  },
  {
    plants: 'a hidden row has its exact distance for the buyer',
    where: 'src/deal-sets/domain/disclosure.ts',
    from: 'miles === null || isSeen',
    to: 'miles === null || isSeen || true',
    failing: { suites: 'domain/disclosure' },
  },
  {
    plants: 'a hidden row has a question with the dealership’s name',
    where: 'src/deal-sets/queries/result-statement.ts',
    from: 'item.text && maskWords(item.text, hiddenName)',
    to: 'item.text',
    failing: { suites: 'redaction/withholding', test: 'are masked in a question' },
  },
  {
    plants: 'a part of a listing with the dealership’s name is shown',
    where: 'function names_dealership',
    from: `WHERE k <> ''`,
    to: 'WHERE false',
    failing: { suites: 'redaction/listings', test: 'its own dealership' },
  },
  {
    plants: 'a part of a listing with a host is shown',
    where: 'function has_shape_of_car_words',
    from: 'www',
    to: 'vvv',
    failing: { suites: 'redaction/listings', test: 'is not shown' },
  },
  {
    plants: 'a writer may write what a listing shows',
    where: 'function price_check_shows',
    from: 'NEW.shown_trim := OLD.shown_trim;',
    to: '',
    failing: { suites: 'redaction/listings', test: 'cannot write what is shown' },
  },
];

/** Planted one at a time by `npm run test:mutants`: each must make the named test fail. */
export const FAULTS: readonly Fault[] = [
  ...FEED,
  ...READS,
  ...ACCESS,
  ...REDACTION,
  ...WITHHELD_FAULTS,
];

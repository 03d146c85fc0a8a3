import { plant, type Fault } from './fault.js';
import { NONINTERFERENCE, withoutLowerProtections, WITHHELD_FAULTS } from './withheld-faults.js';

const ENTRIES = 'src/deal-sets/queries/entry-statements.ts';
const ENTRY_FACTS = 'src/deal-sets/queries/entry-facts.ts';
const REPLIES = 'src/deal-sets/queries/replies-statement.ts';
const SERVICE = 'src/deal-sets/deal-sets.service.ts';
const QUERIES = 'src/deal-sets/queries/deal-set-queries.ts';
const ADMISSION = 'src/auth/admission.ts';
const OPTIONS = 'src/deal-sets/extension/deal-sets-options.module.ts';
const REBUILD = 'src/operations/rebuild.ts';
const STRATEGY = 'src/auth/bearer/access-token.strategy.ts';
const ISSUER = 'src/auth/issuer/remote-issuer.ts';
const CLIENT = 'packages/client/src/deal-sets-client.ts';

/** Planted one at a time by `npm run test:mutants`: each must make the named test fail. */
export const FAULTS: readonly Fault[] = [
  // The feed
  plant('a page of the feed is cut between requests of one stamp')
    .in(ENTRIES, 'ROWS WITH TIES', 'ROWS ONLY')
    .fails('api/feed/paging', 'requests of one instant on one page'),
  plant('the probe runs after the page')
    .in(
      QUERIES,
      'await node.queryInSequence(probing, asking, signal)',
      '(await node.queryInSequence(asking, probing, signal)).toReversed()',
    )
    .fails('api/feed/between-statements', 'stamped before them and is committed between them'),
  plant('the clock of Service-As-Of is read after the page')
    .in(QUERIES, 'readAtMs: (probe ?? newest).readAtMs', 'readAtMs: Date.now()')
    .fails('api/feed/between-statements', 'which are the look and its page'),
  plant('the first page is kept after the second probe')
    .in(
      QUERIES,
      `await untilAborted(signal, sleep(SECOND_LOOK_MS));
      return (await this.#probeAndPage(node, reader, page, signal)).page;`,
      `await untilAborted(signal, sleep(SECOND_LOOK_MS));
      const { snapshot } = (await this.#probeAndPage(node, reader, page, signal)).page;
      const { isQuiet, readAtMs } = snapshot;
      return { ...first.page, snapshot: { ...first.page.snapshot, isQuiet, readAtMs } };`,
    )
    .fails('api/feed/between-statements', 'that is repeated because its probe met a writer'),
  plant('a poll that meets a writer does not look again')
    .in(QUERIES, 'if (!first.hasBusyWriter ||', 'if (true || !first.hasBusyWriter ||')
    .fails('api/feed/between-statements', 'that is repeated because its probe met a writer'),
  plant('Service-As-Of is the edge of a page even if that lies after the read')
    .in(
      'src/deal-sets/domain/watermark.ts',
      'return sinceMs < cap ? Math.min(lastFeedAtMs, cap) : lastFeedAtMs;',
      'return sinceMs < latest - CATCH_UP_MS ? Math.min(lastFeedAtMs, cap) : lastFeedAtMs;',
    )
    .fails('domain/watermark', 'a millisecond before the read when the edge is after the read'),
  plant('Service-As-Of moves on after could_not_check')
    .in(SERVICE, 'replies === null ? asOfToRepeat', 'sinceMs < 0 ? asOfToRepeat')
    .fails('api/feed/changes', 'come again with their replies'),
  plant('Service-As-Of has no margin of a millisecond behind the clock')
    .in('src/deal-sets/domain/watermark.ts', 'Math.max(1, marginMs)', 'marginMs')
    .fails('domain/watermark', 'at least a millisecond behind the clock'),
  plant('since is rounded, not truncated')
    .in(
      'src/kernel/iso-time.ts',
      `fraction.slice(0, 3).padEnd(3, '0')`,
      "String(Math.round(Number(`0.${fraction}`) * 1000)).padStart(3, '0')",
    )
    .fails('kernel/iso-time'),
  plant('the stamp is rounded up, not truncated')
    .in(
      'function feed_stamp_buyer',
      `greatest(date_trunc('milliseconds', clock_timestamp())`,
      `greatest(date_trunc('milliseconds', clock_timestamp() + interval '999 us')`,
    )
    .fails('api/feed/paging', 'in strictly rising whole milliseconds'),
  plant('the stamp is the time at which the transaction began')
    .in(
      'function feed_stamp_buyer',
      `greatest(date_trunc('milliseconds', clock_timestamp())`,
      `greatest(date_trunc('milliseconds', now())`,
    )
    .fails('api/feed/open-writers', 'written before the poll and committed after it'),
  plant('the stamp may be earlier than the newest')
    .in('function feed_stamp_buyer', 'max(f.feed_at)', 'max(NULL::timestamptz)')
    .fails('api/feed/paging', 'whose newest change lies ahead of a clock that was set back'),
  plant('a writer takes no lock of the bucket of its buyer')
    .in(
      'function feed_stamp',
      'PERFORM pg_advisory_xact_lock(deal_sets.feed_bucket_key(NEW.buyer_id));',
      '',
    )
    .fails('api/feed/open-writers', 'delivers what it changes after its stamp'),
  plant('a writer takes the lock of the bucket at the first change, not at the commit')
    .in(
      'function feed_mark_request',
      'INSERT INTO deal_sets.request_feed',
      'PERFORM pg_advisory_xact_lock(deal_sets.feed_bucket_key(p_buyer_id)); INSERT INTO deal_sets.request_feed',
    )
    .fails('api/feed/open-writers', 'does not hold Service-As-Of before it has stamped anything'),
  plant('a writer of many buyers takes the lock of the first bucket alone')
    .in(
      'function feed_stamp',
      'IF FOUND THEN',
      `IF FOUND AND EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
         AND mode = 'ExclusiveLock') THEN PERFORM deal_sets.feed_stamp_buyer(NEW.buyer_id); ELSIF FOUND THEN`,
    )
    .fails(
      'api/feed/many-buyers',
      'holds the Service-As-Of of all buyers between its stamp and its commit',
    ),
  plant('a request is pending although its row stays equal')
    .sql(
      `CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.price_check
      FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_price_check()`,
    )
    .fails('api/feed/feed-changes', 'an update to the same values'),
  plant('the stamp of a reply is a change of it')
    .sql(
      `CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.reply
      FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message()`,
    )
    .fails('api/feed/changes', 'have the stamp of their request'),
  plant('a writer may set the first stamp of a reply')
    .in('function set_reply_stamp', 'IF NOT FOUND THEN', 'IF false THEN')
    .fails('api/feed/changes', 'keep their stamp from a writer of all columns'),
  plant('a writer may set a later stamp of a reply')
    .in(
      'function set_reply_stamp',
      'ELSIF NEW.feed_at < OLD.feed_at IS NOT TRUE THEN',
      'ELSIF false THEN',
    )
    .fails('api/feed/changes', 'have the stamp of their request'),
  plant('a backfill gives an old request the time of the file')
    .in('src/operations/import/merge/history.ts', 'AND NOT EXISTS (', 'AND NOT (false AND EXISTS (')
    .in('src/operations/import/merge/history.ts', 't.id = s.id)`', 't.id = s.id))`')
    .fails(
      'operations/import-feed',
      'stamps a request that a price check of another request becomes',
    ),
  plant('a backfill gives the time of the file to what another writer adds meanwhile')
    .in(
      'src/operations/import/merge/history.ts',
      `WHERE f.is_marked AND f.feed_at = '-infinity'`,
      '',
    )
    .fails('operations/import-writers', 'gives no time of the file to a request'),
  plant('an import restores a session that is revoked meanwhile')
    .in('src/operations/import/merge/merge.ts', 'condition = mayChange', "condition = 'true'")
    .fails('operations/import-writers', 'keeps a session and an approval revoked'),
  plant('an import restores an approval that is revoked meanwhile')
    .in('src/operations/import/merge/merge.ts', ' AND ${mayChange} RETURNING', ' RETURNING')
    .fails('operations/import-writers', 'keeps a session and an approval revoked'),
  plant('an import keeps what it wrote before it was rejected')
    .in(
      'src/operations/import/import-file.ts',
      `await client.query('ROLLBACK TO SAVEPOINT staged').catch(() => undefined);`,
      '',
    )
    .in(
      'src/operations/import/import-file.ts',
      `await client.query('ROLLBACK').catch(() => undefined);`,
      `await client.query('COMMIT').catch(() => undefined);`,
    )
    .fails('operations/import-rejections', 'rejects a time that 200 stored requests already share'),
  plant('a buyer is erased while an import is running')
    .in('src/operations/import/import-lock.ts', 'if (row?.is_free) return;', 'if (row) return;')
    .fails('operations/import-writers', 'restores no buyer who is erased'),
  plant('a request may have a stamp before a client that reads everything begins')
    .sql('ALTER TABLE deal_sets.request_feed DROP CONSTRAINT stamp_after_1970')
    .fails('operations/constraints', 'a request that is stamped'),
  plant('a row may end with a written price that it does not have')
    .sql(
      'ALTER TABLE deal_sets.price_check DROP CONSTRAINT closed_with_price_requires_a_price_in_writing',
    )
    .fails('operations/constraints', 'closed_with_price_requires'),
  plant('a deleted request stays in the feed')
    .in(
      'function recompute_requests',
      'DELETE FROM deal_sets.request_feed f WHERE',
      'UPDATE deal_sets.request_feed f SET is_marked = false WHERE',
    )
    .fails('api/feed/feed-changes', 'a single that becomes a member'),
  plant('a request that can be read may lack values of its entry')
    .sql('ALTER TABLE deal_sets.request_feed DROP CONSTRAINT request_feed_computed')
    .fails('api/feed/read-model', 'never stores a'),
  plant('a rebuild does not lock the requests that it compares')
    .in('function rebuild_requests', 'ORDER BY w.request_id, w.kind FOR UPDATE', '')
    .fails('api/feed/rebuild', 'waits for a writer that was first'),
  plant('a restamp does not wait for a writer between its stamp and its commit')
    .in(REBUILD, 'pg_advisory_xact_lock_shared(deal_sets.feed_bucket_key(b.id))::text,', '')
    .fails('api/feed/rebuild-restamp', 'a writer had stamped before the time and commits late'),
  plant('a restamp does not wait for the clock to pass the given time')
    .in(REBUILD, 'clock.ms > afterMs', 'clock.ms > 0')
    .fails('api/feed/rebuild-restamp', 'waits until'),
  plant('a restamp takes the clock for the last time handed out, not a later stamp')
    .in(REBUILD, '(SELECT max(f.feed_at)', '(SELECT min(f.feed_at)')
    .fails('api/feed/rebuild-restamp', 'waits for the newest stamp'),
  plant('a restamp makes an unknown time of a change known')
    .in('function rebuild_requests', 'SET is_time_known = false', 'SET is_time_known = true')
    .fails('api/feed/rebuild-restamp', 'leaves an unknown one null'),
  plant('a restamp forgets the order of the feed')
    .in(REBUILD, 'ORDER BY min(feed_at), id', 'ORDER BY id')
    .fails('api/feed/rebuild-restamp', 'in their order'),
  plant('a restamp stamps many requests at one time')
    .in(REBUILD, 'const BATCH = 25', 'const BATCH = 1000')
    .fails('api/feed/rebuild-restamp', 'a few of them at one time'),
  plant('a restamp does not lock the requests that it stamps')
    .in('function rebuild_requests', 'ORDER BY w.request_id, w.kind FOR UPDATE', '')
    .fails('api/feed/rebuild-restamp', 'does not stamp a request that a writer stamps'),
  plant('rows of a logical replication are not followed')
    .sql('ALTER TABLE deal_sets.price_check ENABLE TRIGGER _900_mark')
    .fails('api/feed/replicas', 'rows of a logical replication'),
  plant('a new name of a dealership withholds nothing')
    .in('function renew_dealership', 'PERFORM deal_sets.renew_price_checks(ARRAY[NEW.id]);', '')
    .fails('redaction/listings', 'adds meanwhile'),
  plant('a new name of a dealership marks requests in the order on disk')
    .in('function renew_price_checks', 'ORDER BY q.buyer_id, q.request_id, q.id', '')
    .fails('api/feed/many-buyers', 'in the order of their ids'),
  plant('a new name of a dealership does not wait for writers of its price checks')
    .in('function renew_price_checks', 'PERFORM pg_advisory_xact_lock(k.key)', 'PERFORM k.key')
    .fails('redaction/listings', 'adds meanwhile'),
  plant('a price check does not wait for a renaming of its dealership')
    .in(
      'function set_shown_listing',
      'PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(NEW.dealership_id));',
      '',
    )
    .fails('redaction/listings', 'still open'),
  plant('a part is decided with the name in an old snapshot')
    .in('function set_shown_listing', 'NEW.dealership_id FOR SHARE', 'NEW.dealership_id')
    .fails('redaction/listings', 'snapshot has the former name'),
  plant('a dealership is renamed with an old snapshot')
    .in(
      'function renew_dealership',
      `current_setting('transaction_isolation') <> 'read committed'`,
      'false',
    )
    .fails('redaction/listings', 'at another level than READ COMMITTED'),
  plant('a dealership that arrives after its price checks withholds nothing')
    .in(
      'function renew_dealership',
      `TG_OP = 'INSERT' AND current_setting('session_replication_role') <> 'replica'`,
      `TG_OP = 'INSERT'`,
    )
    .fails('redaction/listings', 'until its dealership arrives'),
  plant('a new value of any column decides anew what is shown')
    .in('function set_shown_listing', `TG_OP = 'INSERT'`, 'true')
    .fails('redaction/renaming', 'shows nothing that the former name withheld'),
  plant('a renaming moves every request of the dealership')
    .in(
      'function renew_dealership',
      'PERFORM deal_sets.renew_price_checks(ARRAY[NEW.id]);',
      `PERFORM deal_sets.renew_price_checks(ARRAY[NEW.id]);
      UPDATE deal_sets.request_feed SET is_marked = true WHERE request_id IN (
        SELECT p.request_id FROM deal_sets.price_check p WHERE p.dealership_id = NEW.id);`,
    )
    .fails('redaction/renaming', 'and moves no request'),
  plant('a rebuild shows what was withheld')
    .in(
      'function withhold_parts',
      'o.shown_make, o.shown_model, o.shown_trim',
      'o.shown_make, o.shown_model, o.listing_trim',
    )
    .fails('api/feed/rebuild', 'shows nothing that was withheld'),
  plant('a replica is trusted like the primary')
    .in(QUERIES, 'const [[probe], [newest]] = node.isReplica', 'const [[probe], [newest]] = false')
    .in('src/deal-sets/queries/feed-probe.ts', 'AND NOT pg_is_in_recovery()', '')
    .fails('api/feed/replicas', 'Service-As-Of follows that'),
  plant('an error of a rule decides the status of the response')
    .in('src/kernel/host-code.ts', `throw new AppError('internal', { cause });`, 'throw cause;')
    .fails('extension/redaction-rules', 'an error of the contract'),
  plant('a deal set that a replica lacks is not looked up on the primary')
    .in('src/database/pooled-read-database.ts', 'row !== null || !isFromReplica', 'true')
    .fails('api/feed/replicas', 'which is found on the primary by its id'),
  plant('the time for the replies counts from the handler, not from the arrival of the request')
    .in(
      SERVICE,
      'Math.min(this.limits.repliesMs, deadline.remainingMs() / 2)',
      'Math.min(this.limits.repliesMs, this.settings.requestDeadlineMs / 2)',
    )
    .fails('deal-sets/deal-sets.service', 'that are left to the request'),
  plant('latestAt is the time of the poll')
    .in(REPLIES, 'max(m.feed_at)', `date_trunc('milliseconds', statement_timestamp())`)
    .fails('api/feed/changes', 'have one latestAt in every poll'),
  // Reads
  plant('the plain list shows requests that have ended')
    .in(ENTRIES, 'AND r.is_active', '')
    .fails('contract/4-endpoints', '4.1 Service-More never counts ended requests'),
  plant('latestActivityAt is not null when the time is unknown')
    .in(ENTRY_FACTS, 'CASE WHEN r.is_time_known THEN r.feed_at END', 'r.feed_at')
    .fails('api/feed/paging', 'a request of unknown time'),
  plant('the result counts a price for a different car')
    .in(
      'src/deal-sets/domain/ranking.ts',
      `ended.filter((row) => row.answer !== 'different_car')`,
      'ended',
    )
    .fails('domain/ranking', 'counts no price for a different car'),
  plant('the read model counts a price for a different car')
    .in(
      'function request_summary',
      `v.is_same_car AND r.ended = 'closed_with_price'`,
      `r.ended = 'closed_with_price'`,
    )
    .fails('deal-sets/agreement', 'agree on every deal set'),
  plant('a row that has ended can be neither unlocked nor chosen')
    .in(
      'src/deal-sets/domain/row-state.ts',
      `row.isWritten && row.answer !== 'different_car'`,
      `row.state === 'written'`,
    )
    .fails('contract/3-states', '3.3 lets rows of a deal set that has ended'),
  plant('a row for a different car can be unlocked')
    .in(
      'src/deal-sets/domain/row-state.ts',
      `row.isWritten && row.answer !== 'different_car'`,
      'row.isWritten',
    )
    .fails('contract/3-states', '3.3 canUnlock is hidden'),
  plant('a part of a draft counts as the whole draft')
    .in(
      'src/deal-sets/views/deal-set-result-view.ts',
      'previewComplete: preview.isComplete,',
      'previewComplete: true,',
    )
    .fails('contract/2-fields', '2.6 previews the opening of a draft'),
  plant('a poll whose replies cannot be read fails')
    .in(
      SERVICE,
      '      deadline.signal.throwIfAborted();\n',
      '      deadline.signal.throwIfAborted();\n      throw error;\n',
    )
    .fails('contract/2-fields', '2.2 newReplies is `could_not_check` alone'),
  plant('the group of the unknown trim comes first')
    .in(
      'src/deal-sets/domain/ranking.ts',
      'Number(a === null) - Number(b === null)',
      'Number(b === null) - Number(a === null)',
    )
    .fails('domain/ranking', 'the unknown trim last'),
  plant('the hero of the read model is a row of the unknown trim')
    .in(
      'function request_summary',
      'array_agg(r.distance_miles::double precision ORDER BY r.otd_cents,',
      'array_agg(r.distance_miles::double precision ORDER BY r.otd_cents, (r.shown_trim IS NOT NULL),',
    )
    .fails('api/feed/read-model', 'the hero of the ranking among rows of one price'),
  plant('the client of a cancelled read is neither held nor destroyed')
    .in(
      'src/database/cancellable-reader.ts',
      'void abandon(client, release, running)',
      'void (cancelStatement(client, CANCEL_LIMIT_MS), release())',
    )
    .fails('failures/read-database', 'never lends that connection again'),
  plant('a plain list has 13 deal sets')
    .in(ENTRIES, 'const ACTIVE_DEAL_SETS = 12', 'const ACTIVE_DEAL_SETS = 13')
    .fails('contract/4-endpoints', 'when a 13th active deal set was left out'),
  plant('a plain list has 26 single requests')
    .in(ENTRIES, 'const ACTIVE_SINGLES = 25', 'const ACTIVE_SINGLES = 26')
    .fails('contract/4-endpoints', 'when a 26th active request to one dealership was left out'),
  plant('a page of the feed has 99 entries')
    .in(ENTRIES, 'const FEED_PAGE = 100', 'const FEED_PAGE = 99')
    .fails('contract/4-endpoints', '4.1.3 reads everything from 1970'),
  plant('the deal set of another buyer is found')
    .in(
      'src/deal-sets/queries/result-statement.ts',
      'FROM deal_sets.deal_set s WHERE s.buyer_id = $1 AND s.id = $2',
      'FROM deal_sets.deal_set s WHERE s.id = $2',
    )
    .fails('contract/4-endpoints', '4.2 is not_found by a price-check id'),
  plant('the id of a price check finds its deal set')
    .in(
      'src/deal-sets/queries/result-statement.ts',
      'FROM deal_sets.deal_set s WHERE s.buyer_id = $1 AND s.id = $2',
      `FROM deal_sets.deal_set s WHERE s.buyer_id = $1 AND s.id IN ($2,
        (SELECT m.deal_set_id FROM deal_sets.price_check m WHERE m.buyer_id = $1 AND m.id = $2))`,
    )
    .fails('contract/4-endpoints', '4.2 is not_found by a price-check id'),
  plant('Service-More is false on a page before the last')
    .in(ENTRIES, 'coalesce(entry.feed_at < feed.newest_at, false)', 'false')
    .fails('contract/4-endpoints', '4.1.3 reads everything from 1970'),
  plant('Service-As-Of is sent without since')
    .in(
      'src/deal-sets/deal-sets.controller.ts',
      `if (asOfMs !== null) headers['Service-As-Of'] = formatIsoTime(asOfMs);`,
      `headers['Service-As-Of'] = formatIsoTime(asOfMs ?? 0);`,
    )
    .fails('contract/4-endpoints', '4.1.1 holds up to 12 deal sets'),
  plant('changes are sent to an assistant whose buyer granted none')
    .in(SERVICE, '(assistant.seesChanges ? assistant : undefined)', 'assistant')
    .fails('contract/4-endpoints', '4.1.5 are on each entry'),
  plant('HEAD is not answered')
    .in(
      'src/standalone/fastify-adapter.ts',
      'return503OnClosing: false,',
      'return503OnClosing: false, exposeHeadRoutes: false,',
    )
    .fails('contract/4-endpoints', '4 answer HEAD like GET'),
  plant('a session is accepted after its expiry')
    .in('src/auth/session/session-authenticator.ts', 'expiresAt.getTime() > Date.now()', 'true')
    .fails('sign-in/sessions', 'is rejected when its'),
  plant('a revoked session is accepted')
    .in(
      'src/auth/session/session-authenticator.ts',
      `if (revokedAt !== null) return 'revoked';`,
      '',
    )
    .fails('sign-in/sessions', 'on the very next request after it was revoked'),
  // Access
  plant('the default of a port replaces the provider of the host application')
    .in(OPTIONS, '[...PORTS, ...providers, ...values]', '[...providers, ...PORTS, ...values]')
    .fails('api/extension/replaced-ports', 'replace the defaults'),
  plant('a port in another module of the application goes unnoticed')
    .in(OPTIONS, 'assertPortsInPlace(this.modules, DealSetsOptionsModule);', '')
    .fails('api/extension/replaced-ports', 'that another module provides'),
  plant('a misspelled redactionRules goes unnoticed')
    .in(OPTIONS, 'assertNames(hostValues, VALUE_NAMES);', '')
    .fails('api/extension/replaced-ports', 'fails on an unknown option'),
  plant('the keys of the issuer are downloaded for an authenticator that does not use them')
    .in(
      'src/auth/issuer-start.ts',
      '!(this.assistants instanceof JwtAuthenticator)',
      '!(this.assistants instanceof Object)',
    )
    .fails('api/extension/replaced-ports', 'downloads no keys'),
  plant('the message about a wrong setting contains its value')
    .in(
      'src/config/check-settings.ts',
      'return [[settingPath, issue.message]];',
      'return [[settingPath, `${issue.message}, not ${String(issue.input)}`]];',
    )
    .fails('config/settings.spec', 'so without its value'),
  plant('typed options do not count as production by default')
    .in('src/config/settings.ts', 'options.isProduction ?? true', 'options.isProduction ?? false')
    .fails('config/settings.spec', 'count as production'),
  plant('a flag of the settings is read under a time limit')
    .in('src/rollout/rollout-check.ts', 'this.rollout === this.settings', 'this.rollout === null')
    .fails('rollout/rollout-check', 'sets no timer'),
  plant('the scope is checked before the rollout')
    .in(
      ADMISSION,
      'await this.rollout.check(policy.flag, principal, deadline);\n    assertScope(policy, principal);',
      'assertScope(policy, principal);\n    await this.rollout.check(policy.flag, principal, deadline);',
    )
    .fails('sign-in/order-of-checks', 'checks rollout before scope'),
  plant('the rate is counted before the scope is checked')
    .in(
      'src/endpoint/endpoint.decorator.ts',
      'UseGuards(AdmissionGuard, RateLimitGuard)',
      'UseGuards(RateLimitGuard, AdmissionGuard)',
    )
    .fails('sign-in/order-of-checks', 'checks scope before rate'),
  plant('DealSetsApi counts a call before it checks the scope')
    .in(
      'src/deal-sets/deal-sets.api.ts',
      'const caller = await this.#admit(policy, principal, deadline);\n      if (!call?.isUncounted) await this.rateLimits.count(policy.rateClass, caller);',
      'if (!call?.isUncounted) await this.rateLimits.count(policy.rateClass, principal);\n      const caller = await this.#admit(policy, principal, deadline);',
    )
    .fails('sign-in/order-of-checks', 'the guards and DealSetsApi'),
  plant('@RequireScope does not check the scope')
    .in(
      'src/auth/admission.guard.ts',
      'await this.admission.admit(',
      "if (policy.kind === 'endpoint') await this.admission.admit(",
    )
    .fails('host/host-auth', 'replaces the scope of the controller'),
  plant('an assistant needs no scope')
    .in(ADMISSION, "principal.type === 'assistant' &&", "principal.type === 'session' as never &&")
    .fails('contract/5-authentication', '5 refuses a token without offers:read'),
  plant('the challenge does not name the missing scope')
    .in(
      'src/http/errors/challenge.ts',
      "code === 'insufficient_scope' ? (missing ?? policy.scope) : undefined",
      'undefined',
    )
    .fails('contract/5-authentication', '5 refuses a token without offers:read'),
  plant('a session counts beside a wrong Authorization header')
    .in(
      'src/auth/sign-in.ts',
      `const isBearer = headers['authorization'] !== undefined ||`,
      `const isBearer = (headers['authorization'] !== undefined && headers['cookie'] === undefined) ||`,
    )
    .fails('contract/5-authentication', 'also beside a live session'),
  plant('a sign-in that cannot be confirmed counts as signed out')
    .in('src/auth/sign-in.ts', "isRejected ? 'unauthenticated'", "true ? 'unauthenticated'")
    .fails('contract/5-authentication', '5 answers auth_unverifiable'),
  plant('the flag of the list turns the get on as well')
    .in(
      ADMISSION,
      'await this.rollout.check(policy.flag,',
      `await this.rollout.check(policy.flag && 'list',`,
    )
    .fails('contract/1-service', '1 an endpoint that is not turned on'),
  plant('an error may be stored by caches')
    .in(
      'src/http/errors/envelope.filter.ts',
      'removeSuccessHeaders(response, context);',
      `removeSuccessHeaders(response, context); raw.removeHeader('Cache-Control');`,
    )
    .fails('contract/7-errors', 'with the headers of every answer'),
  plant('an error does not name the revision of the contract')
    .in(
      'src/http/errors/envelope.filter.ts',
      'removeSuccessHeaders(response, context);',
      `removeSuccessHeaders(response, context); raw.removeHeader('Service-API-Version');`,
    )
    .fails('contract/7-errors', 'with the headers of every answer'),
  plant('an error of the database is a part of the response')
    .in(
      'src/http/errors/error-response.ts',
      `if (!(exception instanceof HttpException)) {`,
      `if (!(exception instanceof HttpException)) {
      if (exception instanceof Error) return { status: 500, code: 'internal', message: exception.message };`,
    )
    .fails('contract/7-errors', 'and without data'),
  plant('the deadline is ten times as long')
    .in('src/kernel/deadline.ts', 'CONTRACT_DEADLINE_MS = 8_000', 'CONTRACT_DEADLINE_MS = 80_000')
    .fails('contract/8-limits', '8 is 8,000 ms'),
  plant('a read goes on in the database after the deadline')
    .in(
      'src/database/cancellable-reader.ts',
      'if (!(await cancelStatement(client, CANCEL_LIMIT_MS))) break;',
      'break;',
    )
    .fails('failures/read-database', 'rejects at the deadline, stops the server'),
  plant('the read rate is 121 requests')
    .in(
      'src/config/settings-table.ts',
      'wholeNumber(1, 1_000_000).prefault(120)',
      'wholeNumber(1, 1_000_000).prefault(121)',
    )
    .fails('contract/8-limits', '8 is 120 requests'),
  plant('the service names an earlier revision of the contract')
    .in('src/http/context/contract-headers.ts', `'2026-10-13'`, `'2026-10-12'`)
    .fails('contract/9-versioning', '9 every answer carries the revision'),
  plant('a cache of Nest shares the result of a handler that requires a scope')
    .in(
      'src/http/context/request-context.service.ts',
      'preventCaching(execution.getHandler());',
      '',
    )
    .fails('host/host-auth', 'from sharing results between callers'),
  plant('@Redacted serves a caller whom no guard has signed in as a session')
    .in(
      'src/redaction/redaction.interceptor.ts',
      'principalOf(execution);',
      `context.principal ?? ({ type: 'session', buyerId: 'nobody', scopes: new Set() } as never);`,
    )
    // The first guard also resolves which class the handler declares; without it there is none.
    .isHarmlessFor('host/host-redaction'),
  plant('a result that was not redacted for the request is sent')
    .in(
      'src/redaction/net/last-redaction-check.ts',
      'if (isRedactedFor(body, context)) return false;',
      'return false;',
    )
    .fails('host/host-cache', 'redacted for another request'),
  plant('a result that was redacted for another request is sent after the handler has run')
    .in('src/redaction/net/last-redaction-check.ts', 'return redactedFor === id;', 'return true;')
    .fails('host/host-cache', 'calls the handler and sends an earlier result'),
  plant('the endpoints of the contract send the status of any exception')
    .in(
      'src/http/errors/error-response.ts',
      'contractCodeOfStatus(exception.getStatus())',
      "'rate_limited'",
    )
    .fails('host/host-errors', 'is mapped from status'),
  plant('invalid bytes get a response besides that to the request before them')
    .in(
      'src/standalone/connection-errors.ts',
      '!response || (response.req.complete && response.writableFinished)',
      'true',
    )
    .fails('failures/entrance', 'sends one response for each request'),
  plant('bytes behind a request that ends its connection get a response of their own')
    .in(
      'src/standalone/connection-errors.ts',
      'if (!response || response.destroyed) act();',
      'if (!response || response.writableFinished) act();',
    )
    .fails('failures/entrance', 'that ends its connection'),
  plant('conditions of requests are not ignored')
    .in('src/http/context/request-context.service.ts', '    ignoreConditions(request);\n', '')
    .fails('failures/entrance', 'If-None-Match'),
  plant('the shared counters are reported as up before Redis has replied')
    .in(
      'src/rate-limit/fallback-throttler-storage.ts',
      'metrics.registry.registerMetric(metrics.sharedCountersUp);',
      'metrics.registry.registerMetric(metrics.sharedCountersUp); metrics.sharedCountersUp.set(1);',
    )
    .fails('failures/redis', 'do not keep the service from starting'),
  plant('the connection to Redis stays lost after bytes of a web server')
    .in('src/rate-limit/redis-storage.ts', 'disableClientInfo: true', 'disableClientInfo: false')
    .fails('extension/default-providers', 'continue after bytes of a web server'),
  plant('the start does not name a web server at the address of Redis')
    .in('src/rate-limit/redis-errors.ts', 'NOT_A_REPLY.test(error.message)', 'false as boolean')
    .fails('failures/redis', 'a web server listens'),
  plant('any first word of an error of Redis is logged')
    .in('src/rate-limit/redis-errors.ts', '/^[A-Z]{2,20}(?= |$)/', '/^\\S+/')
    .fails('rate-limit/redis-errors', 'is no other word of the message'),
  plant('calls that the rate limit rejected are counted')
    .in('src/rate-limit/in-process-storage.ts', 'if (!isBlocked) times', 'times')
    .fails('rate-limit/in-process-storage', 'even after further rejected hits'),
  plant('the counters of a process follow the clock of the machine')
    .in(
      'src/rate-limit/in-process-storage.ts',
      `const now = performance.now();
    const { times }`,
      `const now = Date.now();
    const { times }`,
    )
    .fails('rate-limit/in-process-storage', 'ignore that the clock of the machine is set'),
  plant('a shorter window of a route shortens that of its class')
    .in('src/rate-limit/rate-limits.ts', '${caller} ${windowMs}`', '${caller}`')
    .fails('rate-limit/rate-limits', 'keeps the hits of a longer window'),
  plant('routes of a class are counted apart')
    .in(
      'src/rate-limit/rate-limit.guard.ts',
      'this.rateLimits.count(rateClass, principal,',
      'this.rateLimits.count(`${rateClass} ${execution.getHandler().name}`, principal,',
    )
    .fails('sign-in/rate-limit'),
  plant('a revoked approval is accepted')
    .in('src/auth/bearer/postgres-grant-store.ts', 'AND g.revoked_at IS NULL', '')
    .fails('sign-in/tokens', 'after its approval was revoked'),
  plant('a token that is older than the approval is accepted')
    .in(
      'src/auth/bearer/approved-assistants.ts',
      `    if (isOlderThan(grant, issuedAt)) throw rejected('older_than_grant');\n`,
      '',
    )
    .fails('sign-in/approvals', 'issued before a revocation'),
  plant('an approval after a revocation keeps the earlier time')
    .in(
      'src/operations/approvals.ts',
      'where: { ...current, expiresAt: NOT_EXPIRED }',
      'where: { buyerId, clientId }',
    )
    .fails('sign-in/approvals', 'issued before a revocation'),
  plant('an approval after an expiry keeps the earlier time')
    .in(
      'src/operations/approvals.ts',
      'where: { ...current, expiresAt: NOT_EXPIRED }',
      'where: current',
    )
    .fails('sign-in/approvals', 'ends at its expiry'),
  plant('a changed approval rejects the existing tokens')
    .in('src/operations/approvals.ts', 'live?.grantedAt ?? NOW_MS', 'NOW_MS')
    .fails('sign-in/approvals', 'when its scopes change'),
  plant('an expired approval is accepted')
    .in(
      'src/auth/bearer/approved-assistants.ts',
      `    if (hasExpired(grant)) throw rejected('grant_expired');\n`,
      '',
    )
    .fails('sign-in/approvals', 'ends at its expiry'),
  plant('an import leaves an expired grant open before a new one')
    .in('src/operations/import/import-file.ts', '  await closeExpired(client, stored);\n', '')
    .fails('operations/import-load', 'closes an expired grant before a new one'),
  plant('an import prolongs an expired grant')
    .in(
      'src/operations/import/staging/cross-checks.ts',
      'AND s.granted_at <= t.granted_at',
      'AND s.granted_at < t.granted_at',
    )
    .fails('operations/import-rejections', 'rejects an expired grant'),
  plant('the signature of a token is not verified')
    .in(
      'src/auth/bearer/jwt-authenticator.ts',
      'return this.#verify({ ...read',
      'return this.strategy.validate({ ...read',
    )
    .fails('sign-in/tokens', 'another key'),
  plant('the first of two Authorization headers counts')
    .in(
      'src/auth/bearer/bearer-header.ts',
      'value !== undefined && another === undefined',
      'value !== undefined',
    )
    .fails('sign-in/authorization-header', 'in two Authorization headers'),
  plant('only the first of two Cookie headers counts')
    .in('src/auth/session/session-cookie.ts', '= cookie.flatMap(', '= cookie.slice(0, 1).flatMap(')
    .fails('auth/session/session-cookie', 'in one of several headers'),
  plant('an unknown key makes a token unverifiable, not wrong')
    .in(
      STRATEGY,
      `if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' })`,
      `if (!key) throw new AppError('auth_unverifiable')`,
    )
    .fails('sign-in/tokens', 'an unknown kid'),
  plant('a sign-in goes on after its limit')
    .in(STRATEGY, '  signal.throwIfAborted();\n', '')
    .in('src/auth/bearer/approved-assistants.ts', '    signal.throwIfAborted();\n', '')
    .fails('failures/sign-in', 'looks up no grant when the key arrives after the response'),
  plant('an unknown key is rejected by a download that began before its token came')
    .in(ISSUER, 'if (!reloading && error instanceof', 'if (error instanceof')
    .fails('sign-in/issuer-key-set', 'by a download that was under way'),
  plant('an unknown key is not rejected within the cool-down')
    .in(
      ISSUER,
      'if (!reloading && error instanceof',
      'if (!reloading && !this.#keySet.coolingDown && error instanceof',
    )
    .fails('sign-in/issuer-key-set', 'rejects an unknown key'),
  plant('the last keys end with their age')
    .in(ISSUER, 'cacheMaxAge: Infinity', 'cacheMaxAge: times.coolDownMs')
    .fails('sign-in/issuer-key-set', 'uses the last keys'),
  plant('a key set without a key replaces the last one')
    .in(ISSUER, 'if (found.length === 0)', 'if (found.length < 0)')
    .fails('sign-in/issuer-key-set', 'uses the last keys'),
  plant('a member that is no key makes the whole key set unusable')
    .in(ISSUER, 'keys.filter(isKey)', '(keys as JWK[])')
    .fails('sign-in/issuer-key-set', 'ignores members that are no keys'),
  plant('a key set of any size is read')
    .in('src/auth/issuer/issuer-request.ts', 'if (bytes > MAX_BYTES)', 'if (bytes < 0)')
    .fails('sign-in/issuer-key-set', 'returns more than 256 KiB'),
  plant('an issuer that is down gets a request for every token')
    .in(ISSUER, 'throw this.#failure.error;', 'this.#failure = undefined;')
    .fails('sign-in/issuer-key-set', 'again only after the cool-down'),
  plant('the keys are never refreshed')
    .in(ISSUER, 'void this.reload(), this', 'undefined, this')
    .fails('sign-in/issuer-key-set', 'is downloaded again by a timer'),
  plant('a short RSA key verifies tokens')
    .in(ISSUER, 'modulusLength < MIN_RSA_BITS', 'modulusLength < 0')
    .fails('sign-in/issuer-key-set', 'no RSA key under 2048 bits'),
  plant('metadata without an address of keys ends the look-up')
    .in(
      'src/auth/issuer/issuer-discovery.ts',
      `throw new IssuerFailure('no_jwks_uri')`,
      `throw new Error('no_jwks_uri')`,
    )
    .fails('sign-in/issuer-discovery', 'names no key set'),
  plant('a slash makes no difference to the issuer')
    .in('src/auth/issuer/issuer-discovery.ts', 'metadata.issuer !== issuer', `issuer === ''`)
    .fails('sign-in/issuer-discovery', 'names its issuer with a slash more'),
  plant('the slash after a host makes another audience')
    .in('src/auth/bearer/access-token.ts', 'named.map(resourceName)', 'named.map(String)')
    .fails('sign-in/tokens', 'for a root with and without a slash'),
  plant('a token of any type needs no scopes')
    .in('src/auth/bearer/access-token.ts', `tokenType === 'any' ? undefined : ''`, `''`)
    .fails('sign-in/common-issuers', 'are never accepted as ID tokens'),
  plant('a token of any type may be an ID token with scopes')
    .in('src/auth/bearer/access-token.ts', `tokenType === 'any' && ID_TOKEN`, `false && ID_TOKEN`)
    .fails('sign-in/common-issuers', 'are never accepted as ID tokens'),
  plant('passport-jwt gets one spelling of an audience')
    .in(STRATEGY, '.flatMap(spellingsOf)', '')
    .fails('sign-in/tokens', 'for a root with and without a slash'),
  plant('the slash after a path makes no difference')
    .in('src/kernel/resource-name.ts', '[^/?#]+)', '[^?#]+)')
    .fails('sign-in/tokens', 'for a root with and without a slash'),
  plant('a token for another resource opens MCP')
    .in(
      'src/auth/bearer/jwt-authenticator.ts',
      'resource?.audiences ?? audiences',
      '[...(resource?.audiences ?? []), ...audiences]',
    )
    .fails('mcp/endpoint', 'admits a token for its own address or the origin alone'),
  plant('the challenge of MCP does not lead to its metadata')
    .in(
      'src/http/errors/challenge.ts',
      'if (resource?.metadataUrl !== undefined) {',
      'if (resource?.metadataUrl === null) {',
    )
    .fails('mcp/endpoint', 'names its own metadata in its challenges'),
  plant('the metadata of MCP names the API as its resource')
    .in('src/oauth-metadata/oauth-metadata.controller.ts', 'publicUrl + path', 'publicUrl')
    .fails('mcp/endpoint', 'names existing metadata in its challenges'),
  plant('any web page may call MCP')
    .in(
      'src/mcp/protected-resource.guard.ts',
      `isAllowedOrigin ? undefined : 'origin_not_allowed'`,
      `isAllowedOrigin || isOwnHost ? undefined : 'origin_not_allowed'`,
    )
    .fails('mcp/endpoint', 'before it looks at the credential'),
  plant('a message may be as large as the body of any other route')
    .in(
      'src/standalone/server-hooks.ts',
      'if (route.url === MCP_PATH) route.bodyLimit = MESSAGE_LIMIT;',
      '',
    )
    .fails('mcp/endpoint', 'is rejected with the error of the protocol'),
  plant('a batch of messages reaches the protocol’s library')
    .in('src/mcp/mcp-message.guard.ts', ' && !Array.isArray(body)', '')
    .fails('mcp/endpoint', 'is rejected with the error of the protocol'),
  plant('a body nested too deeply is parsed')
    .in('src/http/json-depth.ts', 'if (depth > MAX_JSON_DEPTH) return true;', '')
    .fails('src/http/json-depth', 'is the same for the text and the value'),
  plant('a list of MCP that is read again is counted again')
    .in('src/mcp/mcp-protocol.ts', 'pageSize < TOOL_PAGE;', 'pageSize > TOOL_PAGE;')
    .fails('mcp/tools', 'count once, however often'),
  plant('the call of a tool is not counted')
    .in('src/mcp/mcp-protocol.ts', 'pageSize < TOOL_PAGE;', 'true;')
    .fails('mcp/endpoint', 'counts the calls of tools'),
  plant('an empty argument of a tool is not taken as absent')
    .in('src/mcp/tool-definitions.ts', "sent === null || sent === ''", 'sent === null')
    .fails('mcp/official-clients', 'takes null and empty arguments as absent'),
  plant('the output schemas of the tools lack the fields of a host application')
    .in(
      'src/mcp/output-schemas.ts',
      '{ ...fieldsOf(dto), ...customFields.get(dto) }',
      '{ ...fieldsOf(dto) }',
    )
    .fails('mcp/tools', 'declare in their output schemas exactly what their results hold'),
  plant('a list that is too large for a result of MCP is not read again')
    .in('src/mcp/mcp-protocol.ts', 'fitsResult(result)', 'true')
    .fails('mcp/tools', 'in shorter pages where the result would be too large'),
  plant('a page of MCP is as short as it was')
    .in('src/mcp/mcp-protocol.ts', 'const TOOL_PAGE = 50;', 'const TOOL_PAGE = 25;')
    .fails('mcp/tools', 'changes again after 26 others'),
  // The client
  plant('the client polls on from where it began')
    .in(CLIENT, '        since = asOf;\n', '        since = more ? asOf : since;\n')
    .fails('client/polling', 'polls every everyMs once nothing more remains'),
  plant('the client polls without a pause where Service-More is true but the pages do not advance')
    .in(CLIENT, 'if (!more || asOf === since) await', 'if (!more) await')
    .fails('client/polling', 'waits everyMs when a page reports more but does not advance'),
  plant('the client gives up at the first outage of a poll')
    .in(CLIENT, 'everyMs = 30_000, maxRetries = Infinity }', 'everyMs = 30_000, maxRetries = 0 }')
    .fails('client/polling', 'survives more failures than a single call'),
  // Redaction
  withoutLowerProtections('only the declarations of the responses withhold').isHarmlessFor(
    'redaction/(noninterference|withholding)',
  ),
  plant('an assistant’s reads run under the buyer’s role')
    .in('src/database/read-data-source.ts', `'deal_sets_assistant'`, `'deal_sets_reader'`)
    .fails('redaction/roles-in-use', 'reading only, also after a reconnect'),
  plant('an assistant’s list takes one statement more')
    .in(
      QUERIES,
      'const requests = await node.query(active, [buyerId], signal);',
      `const requests = await node.query(active, [buyerId], signal);
      if (type === 'assistant') await node.query({ name: 'more', text: 'SELECT 1' }, [], signal);`,
    )
    .fails('redaction/roles-in-use', 'are no more than the buyer’s own'),
  plant('the ids of members are in the order of their distance')
    .in('function request_summary', `',' ORDER BY r.id`, `',' ORDER BY r.distance_miles, r.id`)
    .fails(...NONINTERFERENCE),
  plant('a hosted assistant gets the partner flag')
    .in(
      'src/redaction/field-redaction.ts',
      `isHosted ? 'hosted-assistant' : 'assistant'`,
      `isHosted ? 'assistant' : 'assistant'`,
    )
    .fails('redaction/withholding', 'differ from the buyer’s in what'),
  withoutLowerProtections('an assistant learns which drafts are short')
    .in('src/redaction/field.ts', `assistant: 'false'`, `assistant: 'same'`)
    .fails(...NONINTERFERENCE),
  plant('a hidden row has its exact distance for the buyer')
    .in(
      'src/deal-sets/domain/disclosure.ts',
      'band === null || isSeen',
      'band === null || isSeen || true',
    )
    .fails('domain/disclosure'),
  plant('a hidden row has the words of a question')
    .in(
      'src/deal-sets/queries/result-facts.ts',
      'CASE WHEN p.is_seen THEN i.text ELSE i.text_while_hidden END',
      'coalesce(i.text_while_hidden, i.text)',
    )
    .fails('redaction/texts-while-hidden', 'have no words without a text'),
  plant('a hidden row has the words of a draft')
    .in(
      'src/deal-sets/queries/result-facts.ts',
      'CASE WHEN p.is_seen THEN i.body ELSE i.body_while_hidden END',
      'coalesce(i.body_while_hidden, i.body)',
    )
    .fails('redaction/texts-while-hidden', 'have no words without a text'),
  plant('a cleared text takes the place of the words of an unlocked row')
    .in(
      'src/deal-sets/queries/result-facts.ts',
      'CASE WHEN p.is_seen THEN i.text ELSE i.text_while_hidden END',
      'CASE WHEN p.is_seen THEN coalesce(i.text_while_hidden, i.text) ELSE i.text_while_hidden END',
    )
    .fails('redaction/texts-while-hidden', 'once the row is unlocked'),
  plant('a cleared text counts as the whole draft')
    .in(
      'src/deal-sets/queries/result-facts.ts',
      'NOT p.is_seen AND i.body_while_hidden <> i.body',
      'false',
    )
    .fails('redaction/texts-while-hidden', 'have a complete preview exactly if'),
  plant('a cleared text does not move its request')
    .sql(
      `CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.question FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{text_while_hidden}'::text[] <> to_jsonb(NEW) - '{text_while_hidden}'::text[]
      ) EXECUTE FUNCTION deal_sets.feed_mark_message()`,
    )
    .fails('redaction/texts-while-hidden', 'when a text is cleared later'),
  plant('a code of a question does not move its request')
    .sql(
      `CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.question FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{category}'::text[] <> to_jsonb(NEW) - '{category}'::text[]
      ) EXECUTE FUNCTION deal_sets.feed_mark_message()`,
    )
    .fails('redaction/texts-while-hidden', 'when the category'),
  plant('a part of a listing with the dealership’s name is shown')
    .in('function contain_name', 'ELSE strpos', 'ELSE -strpos')
    .fails('redaction/listings', 'when it contains the name'),
  plant('the parts of a listing are compared with the name one by one')
    .in('function contain_name', `array_to_string(w.keys, '')`, `array_to_string(w.keys, ' ')`)
    .fails('redaction/listings', 'when it contains the name'),
  plant('the legal form of a dealership is a part of its name')
    .in('function contain_name', '(LLC|', '(ZZZ|')
    .fails('redaction/listings', 'when its letters contain those of'),
  plant('a short name is found inside a word')
    .in('function contain_name', 'WHEN 3 THEN n.key = ANY (w.keys)', '')
    .fails('redaction/listings', 'when its letters do not contain those of'),
  plant('a make may contain the dealership’s name')
    .in(
      'function shown_parts',
      'IF NOT deal_sets.contain_name(parts[4:4], p_name) THEN',
      'IF true THEN',
    )
    .fails('redaction/listings', 'when it contains the name'),
  plant('a part of a listing with a host is shown')
    .in('function has_shape_of_car_words', 'www', 'vvv')
    .fails('redaction/listings', 'is not shown'),
  plant('a part of a listing that states no value is shown')
    .in('function has_shape_of_car_words', '|unknown|tbd)?', '|unknown|tbd)')
    .fails('redaction/listings', 'is unknown where it states no value'),
  plant('a list price of a cent is shown')
    .sql(
      `ALTER TABLE deal_sets.price_check DROP COLUMN shown_listed_at_cents;
      ALTER TABLE deal_sets.price_check ADD COLUMN shown_listed_at_cents bigint
        GENERATED ALWAYS AS (listing_listed_at_cents) STORED`,
    )
    .fails('redaction/listings', 'no price below a dollar'),
  plant('a writer may write what a listing shows')
    .in('function set_shown_listing', 'NEW.shown_trim <> decided.trim_level IS NOT FALSE', 'false')
    .fails('redaction/listings', 'a writer can only withhold'),
  plant('the name of a dealership may contain a tag')
    .sql('ALTER TABLE deal_sets.dealership DROP CONSTRAINT name_without_html_tag')
    .fails('redaction/listings', 'rejects the name'),
  ...WITHHELD_FAULTS,
];

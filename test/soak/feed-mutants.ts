/** One deliberate fault of the feed, and the test that must notice it. */
export interface Mutant {
  readonly what: string;
  /** Each search text occurs exactly once in its file. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** File under test/e2e/feed whose tests are run. */
  readonly suite: string;
  /** A part of the name of a test that must fail. */
  readonly caughtBy: string;
}

const FEED = 'migrations/1763600200000-feed.up.sql';
/** Where the functions that follow changes are now. */
const STAMPS = 'migrations/1763600400000-feed-stamps.up.sql';
/** Where the function that follows renamings is now. */
const CLEANING = 'migrations/1763600520000-cleaning-by-index.up.sql';
/** Where the functions that mark, stamp and recompute are now. */
const MODEL = 'migrations/1763600700000-read-model.up.sql';
const ENTRIES = 'src/deal-sets/reader/entry-statements.ts';
const STATEMENTS = 'src/deal-sets/reader/statements.ts';
const READER = 'src/deal-sets/reader/postgres-deal-set-reader.ts';
/** The stamp of one buyer's requests, and that of all buyers' at once. */
const STAMP_CLOCKS = ['SELECT greatest(', 'SELECT p.buyer_id, greatest('].map(
  (start) => `${start}\n      date_trunc('milliseconds', clock_timestamp()),`,
);
/** The same with another expression in place of the clock. */
const stampFrom = (expression: string): Mutant['edits'] =>
  STAMP_CLOCKS.map((from) => ({
    file: MODEL,
    from,
    to: from.replace('clock_timestamp()', expression),
  }));
const PROBE = `      const [probe] = node.isReplica
        ? []
        : await node.query<ProbeRow>(FEED_PROBE, [buyerId], deadline);
`;
const READING = `      const [first] = rows;
`;

export const MUTANTS: readonly Mutant[] = [
  {
    what: 'the page is cut by LIMIT',
    edits: [
      {
        file: ENTRIES,
        from: 'FETCH FIRST (SELECT ${FEED_PAGE}) ROWS WITH TIES',
        to: 'LIMIT ${FEED_PAGE}',
      },
    ],
    suite: 'paging',
    caughtBy: 'keeps 75 requests of one instant on one page',
  },
  {
    what: 'the stamp is rounded up',
    edits: stampFrom(`clock_timestamp() + interval '999 us'`),
    suite: 'paging',
    caughtBy: 'in strictly rising whole milliseconds',
  },
  {
    what: 'since is rounded up',
    edits: [
      {
        file: 'src/kernel/iso-time.ts',
        from: `Number(fraction.slice(0, 3).padEnd(3, '0'))`,
        to: `Math.ceil(Number(\`0.\${fraction}\`) * 1000)`,
      },
    ],
    suite: 'paging',
    caughtBy: 'a fraction of a millisecond before',
  },
  {
    what: 'the probe comes after the page',
    edits: [
      { file: READER, from: PROBE, to: '' },
      { file: READER, from: READING, to: PROBE + READING },
    ],
    suite: 'between-statements',
    caughtBy: 'stamped before them and is committed between them',
  },
  {
    what: 'no millisecond is kept behind the clock',
    edits: [
      {
        file: 'src/deal-sets/domain/feed-position.ts',
        from: 'Math.max(1, marginMs)',
        to: 'marginMs',
      },
    ],
    suite: 'between-statements',
    caughtBy: 'never lose a change within one millisecond',
  },
  {
    what: 'the stamp is the start of the transaction',
    edits: stampFrom('now()'),
    suite: 'open-writers',
    caughtBy: 'written before the poll and committed after it, at READ COMMITTED',
  },
  {
    what: 'no lock is taken',
    edits: [
      {
        file: FEED,
        from: 'PERFORM pg_advisory_xact_lock(feed_lock_key(writer_buyer_id))',
        to: 'NULL',
      },
    ],
    suite: 'open-writers',
    caughtBy: 'delivers what it changes after its stamp',
  },
  {
    what: 'the lock is taken at the first change, not at the commit',
    edits: [
      {
        file: MODEL,
        from: '  INSERT INTO request_feed AS f',
        to: '  PERFORM feed_lock_buyer(buyer_ids[1]);\n  INSERT INTO request_feed AS f',
      },
    ],
    suite: 'open-writers',
    caughtBy: 'does not hold Service-As-Of before it has stamped anything',
  },
  {
    what: 'the stamp may fall back behind the newest',
    edits: [
      {
        file: MODEL,
        from: `(SELECT max(f.feed_at) FROM request_feed f WHERE f.buyer_id = writer_buyer_id) + interval '1 millisecond'`,
        to: `'-infinity'::timestamptz`,
      },
    ],
    suite: 'metrics',
    caughtBy: 'loses nothing of a buyer whose newest change lies ahead of it',
  },
  {
    what: 'a renaming does not wait for writers of its requests',
    edits: [{ file: CLEANING, from: 'f.kind FOR UPDATE OF f;', to: 'f.kind;' }],
    suite: 'many-buyers',
    caughtBy: 'tells the new name to a buyer who unlocks',
  },
  {
    what: 'a renaming takes the lock of all before it has its rows',
    edits: [
      {
        file: CLEANING,
        from: '  PERFORM assert_read_committed();\n\n  IF has_new_partner THEN',
        to: '  PERFORM feed_lock_all();\n\n  IF has_new_partner THEN',
      },
    ],
    suite: 'many-buyers',
    caughtBy: 'without a deadlock',
  },
  {
    what: 'a request that is no more stays in the feed',
    edits: [{ file: FEED, from: '  IF may_be_gone THEN', to: '  IF false THEN' }],
    suite: 'movers',
    caughtBy: 'a single that becomes a member',
  },
  {
    what: 'an equal row counts as a change',
    edits: [{ file: STAMPS, from: `ELSE 'n.* IS DISTINCT FROM o.*'`, to: `ELSE 'true'` }],
    suite: 'movers',
    caughtBy: 'an update to the same values',
  },
  {
    what: 'a replica is trusted like the primary',
    edits: [
      { file: READER, from: 'node.isReplica', to: 'false' },
      { file: STATEMENTS, from: '    AND NOT pg_is_in_recovery()', to: '   ' },
    ],
    suite: 'replicas',
    caughtBy: 'Service-As-Of follows that',
  },
  {
    what: 'rows of a logical replication are not followed',
    edits: [
      { file: FEED, from: 'ENABLE REPLICA TRIGGER t4_feed_row', to: 'DISABLE TRIGGER t4_feed_row' },
    ],
    suite: 'other-ways-in',
    caughtBy: 'rows of a logical replication',
  },
  {
    what: 'replies are counted by their receipt',
    edits: [{ file: STATEMENTS, from: 'AND r.feed_at > $3', to: 'AND r.received_at > $3' }],
    suite: 'replies',
    caughtBy: 'a reply that is recorded long after it was received',
  },
  {
    what: 'replies are looked up on the next server',
    edits: [
      {
        file: READER,
        from: 'await new RetryingNode(node).query<ReplyRow>(',
        to: 'await this.database.read(viewer, deadline, (next) => next.query<ReplyRow>(',
      },
      { file: READER, from: '      limitMs,\n    );', to: '      limitMs,\n    ));' },
    ],
    suite: 'replicas',
    caughtBy: 'reply that one replica has and the other has not',
  },
  {
    what: 'a stamped reply counts as a change',
    edits: [{ file: STAMPS, from: `WHEN 'reply' THEN`, to: `WHEN 'no table' THEN` }],
    suite: 'replies',
    caughtBy: 'has the stamp of its request',
  },
  {
    what: 'history mode is a setting of the session',
    edits: [
      {
        file: MODEL,
        from: 'is_live boolean := NOT feed_is_history();',
        to: `is_live boolean := NOT feed_is_history()
    AND current_setting('deal_sets.feed_mode', true) IS DISTINCT FROM 'backfill';`,
      },
    ],
    suite: 'history-mode',
    caughtBy: 'a setting of the session',
  },
  {
    what: 'the row is recomputed before it is locked',
    edits: [
      {
        file: MODEL,
        from: '  INSERT INTO request_feed AS f',
        to: `  PERFORM request_recompute(buyer_ids, request_ids, kinds);
  INSERT INTO request_feed AS f`,
      },
      {
        file: MODEL,
        from: '  PERFORM feed_recompute(writer_buyer_id);',
        to: `  UPDATE request_feed SET needs_recompute = false
  WHERE buyer_id = writer_buyer_id AND needs_recompute AND requested_at IS NOT NULL;
  PERFORM feed_recompute(writer_buyer_id);`,
      },
    ],
    suite: 'read-model',
    caughtBy: 'includes what another writer of the request committed meanwhile',
  },
  {
    what: 'answered questions have no trigger',
    edits: [
      {
        file: MODEL,
        from: 'CREATE VIEW request_summary AS',
        to: 'DROP TRIGGER t1_feed_update ON question;\nCREATE VIEW request_summary AS',
      },
    ],
    suite: 'read-model',
    caughtBy: 'says what the domain says after every commit',
  },
  {
    what: 'what a renaming hides is not followed',
    edits: [
      {
        file: STAMPS,
        from: "  PERFORM feed_change(buyer_ids, request_ids, kinds, TG_OP <> 'INSERT');\n  RETURN NULL;\nEND $$;\n\n-- A subscriber",
        to: `  IF pg_trigger_depth() = 1 THEN
    PERFORM feed_change(buyer_ids, request_ids, kinds, TG_OP <> 'INSERT');
  END IF;
  RETURN NULL;
END $$;

-- A subscriber`,
      },
    ],
    suite: 'read-model',
    caughtBy: 'follows a renaming that hides part of a listing',
  },
  {
    what: 'the hero of one price is the one written last',
    edits: [
      {
        file: MODEL,
        from: "date_trunc('milliseconds', r.written_at), r.id",
        to: "date_trunc('milliseconds', r.written_at) DESC, r.id",
      },
    ],
    suite: 'read-model',
    caughtBy: 'has the hero of the ranking among rows of one price',
  },
  {
    what: 'that a transaction has recomputed is remembered beyond a rollback to a savepoint',
    edits: [
      {
        file: MODEL,
        from: '  IF buyer_ids IS NOT NULL THEN PERFORM request_recompute(buyer_ids, request_ids, kinds); END IF;',
        to: `  IF buyer_ids IS NOT NULL AND (SELECT last_value FROM recomputed) <> pg_current_xact_id()::text::bigint THEN
    PERFORM setval('recomputed', pg_current_xact_id()::text::bigint);
    PERFORM request_recompute(buyer_ids, request_ids, kinds);
  ELSE
    UPDATE request_feed SET needs_recompute = false WHERE needs_recompute;
  END IF;`,
      },
      {
        file: MODEL,
        from: 'CREATE VIEW request_summary AS',
        to: 'CREATE SEQUENCE recomputed;\nCREATE VIEW request_summary AS',
      },
    ],
    suite: 'read-model',
    caughtBy: 'is recomputed when a rollback to a savepoint',
  },
  {
    what: 'history mode only locks the row',
    edits: [
      {
        file: MODEL,
        from: 'WHERE NOT f.needs_recompute OR (is_live',
        to: 'WHERE is_live AND (NOT f.needs_recompute',
      },
    ],
    suite: 'read-model',
    caughtBy: 'refuses a writer whose snapshot lacks a change',
  },
];

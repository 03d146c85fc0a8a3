-- The read model: what the list shows of a request, in the request's own row of request_feed. A list then reads
-- rows that are ready, in the order in which it shows them, where it counted the members of every deal set
-- on every read before.
--
-- Data: the new columns of existing requests stay empty (requested_at is null), which costs no rewrite of the
-- table. `deal-sets rebuild` fills them in batches while the service runs; until then the service computes
-- such a request's row on each read, by the view below. Nothing that a client sees changes, and no request is
-- stamped. The version before this one does not notice the columns.
--
-- A later migration that changes what a row is computed from without the triggers, or how it is computed,
-- sets requested_at to null for the requests concerned: they are then computed on each read, and by the rebuild.

ALTER TABLE request_feed
  -- True only inside a transaction that changes the request, in every mode. It is also the lock that makes
  -- writers of one request follow each other.
  ADD COLUMN needs_recompute boolean NOT NULL DEFAULT false,
  -- When it was created or requested: its place in the plain list. Null: this row is still to be computed.
  ADD COLUMN requested_at timestamptz,
  -- What is still to be computed may be active.
  ADD COLUMN is_active boolean NOT NULL DEFAULT true,
  ADD COLUMN has_ended boolean,
  ADD COLUMN is_archived boolean,
  ADD COLUMN has_finished boolean,
  -- Of a deal set what was asked for, of a single request what its listing shows.
  ADD COLUMN car_year integer,
  ADD COLUMN car_make text,
  ADD COLUMN car_model text,
  -- Of a single request only: that of a deal set is the buyer's own, and is read from the deal set.
  ADD COLUMN car_trim text,
  ADD COLUMN car_names_dealership boolean,
  ADD COLUMN written integer,
  ADD COLUMN waiting integer,
  ADD COLUMN different_car integer,
  ADD COLUMN ended integer,
  ADD COLUMN ended_with_price integer,
  ADD COLUMN closed_with_price integer,
  ADD COLUMN lowest_written_otd_cents bigint,
  ADD COLUMN open_items integer,
  -- Of all members in ascending order, joined by commas: a uuid[] costs several times as much to send.
  ADD COLUMN member_ids text,
  -- What the labels of chosen rows need, an array of objects in the order of the rows' ids.
  ADD COLUMN chosen json,
  -- The buyer's own: exact distance of the hero, and whether its dealership is seen.
  ADD COLUMN hero_distance_miles double precision,
  ADD COLUMN is_hero_seen boolean,
  -- The buyer's own: dealerships of the chosen rows in their order, and of a single request once it is seen.
  -- Names are looked up by these; a name itself is never stored here.
  ADD COLUMN chosen_dealership_ids uuid[],
  ADD COLUMN dealership_id uuid;

-- A list reads these values of every entry it shows: up to some three hundred members they stay in the row.
DO $$
DECLARE
  part regclass;
BEGIN
  -- Where the tables of buyers are partitioned only the partitions have storage.
  FOR part IN
    SELECT t.relid FROM pg_partition_tree('request_feed') t WHERE t.isleaf
    UNION SELECT 'request_feed'::regclass FROM pg_class WHERE oid = 'request_feed'::regclass AND relkind = 'r'
  LOOP
    EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 8160)', part);
  END LOOP;
END $$;
ALTER TABLE request_feed ALTER COLUMN member_ids SET STORAGE EXTERNAL;

-- The plain list, one range of it for each kind. A row that is still to be computed comes first.
CREATE INDEX request_feed_active ON request_feed (buyer_id, kind, requested_at DESC, request_id) WHERE is_active;
CREATE INDEX request_feed_not_computed ON request_feed (buyer_id, request_id, kind) WHERE requested_at IS NULL;
-- Every marked row is to be recomputed, whether or not it is to be stamped.
CREATE INDEX request_feed_marked ON request_feed (buyer_id) WHERE needs_recompute;
DROP INDEX request_feed_pending;

-- How a row of the read model is computed from the data: the only SQL that aggregates. The writers' triggers
-- and the rebuild store what it says, and a read falls back to it. The domain's rules (summarize, rank,
-- lowestWrittenOtdCents) say the same; property tests compare the two.
CREATE VIEW request_summary AS
SELECT k.buyer_id, k.request_id, k.kind, k.feed_at, k.is_time_known,
  coalesce(s.created_at, p.requested_at) AS requested_at,
  CASE k.kind WHEN 'deal_set' THEN s.ended_at IS NULL ELSE p.ended IS NULL AND p.archived_at IS NULL END AS is_active,
  CASE k.kind WHEN 'deal_set' THEN s.ended_at IS NOT NULL ELSE p.ended IS NOT NULL END AS has_ended,
  p.archived_at IS NOT NULL AS is_archived,
  CASE k.kind WHEN 'deal_set' THEN m.has_finished ELSE p.finished_at IS NOT NULL END AS has_finished,
  coalesce(s.car_year, p.shown_year)::integer AS car_year,
  coalesce(s.car_make, p.shown_make)::text AS car_make,
  coalesce(s.car_model, p.shown_model)::text AS car_model,
  p.shown_trim AS car_trim,
  s.car_names_dealership,
  m.written, m.waiting, m.different_car, m.ended, m.ended_with_price, m.closed_with_price,
  CASE k.kind WHEN 'deal_set' THEN m.lowest_written_otd_cents
    ELSE CASE WHEN p.written_at IS NOT NULL THEN p.otd_cents END END::bigint AS lowest_written_otd_cents,
  -- Nothing waits for the buyer on a request that is over, nor on a row that is archived or has ended. A
  -- single request shows its questions alone.
  CASE
    WHEN k.kind = 'deal_set' AND s.ended_at IS NULL THEN
      (SELECT count(*) FROM question i JOIN price_check o ON o.buyer_id = i.buyer_id AND o.id = i.price_check_id
        WHERE i.buyer_id = k.buyer_id AND i.request_id = k.request_id AND i.answered_at IS NULL
          AND o.deal_set_id = k.request_id AND o.ended IS NULL AND o.archived_at IS NULL)
      + (SELECT count(*) FROM draft i JOIN price_check o ON o.buyer_id = i.buyer_id AND o.id = i.price_check_id
        WHERE i.buyer_id = k.buyer_id AND i.request_id = k.request_id AND i.resolved_at IS NULL
          AND o.deal_set_id = k.request_id AND o.ended IS NULL AND o.archived_at IS NULL)
    WHEN k.kind = 'single' AND p.ended IS NULL AND p.archived_at IS NULL THEN
      (SELECT count(*) FROM question i
        WHERE i.buyer_id = k.buyer_id AND i.request_id = k.request_id AND i.price_check_id = k.request_id
          AND i.answered_at IS NULL)
    ELSE 0 END::integer AS open_items,
  m.member_ids, m.chosen, m.hero_distance_miles, m.is_hero_seen, m.chosen_dealership_ids,
  CASE WHEN p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL THEN p.dealership_id END AS dealership_id
FROM request_feed k
LEFT JOIN deal_set s ON k.kind = 'deal_set' AND s.buyer_id = k.buyer_id AND s.id = k.request_id
LEFT JOIN price_check p
  ON k.kind = 'single' AND p.buyer_id = k.buyer_id AND p.id = k.request_id AND p.deal_set_id IS NULL
LEFT JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE v.state = 'written')::integer AS written,
    count(*) FILTER (WHERE v.state = 'waiting')::integer AS waiting,
    count(*) FILTER (WHERE v.state = 'different_car')::integer AS different_car,
    count(*) FILTER (WHERE v.state = 'ended')::integer AS ended,
    count(*) FILTER (WHERE v.state = 'ended' AND (v.is_priced OR r.ended = 'closed_with_price'))::integer
      AS ended_with_price,
    count(*) FILTER (WHERE v.state = 'ended' AND r.ended = 'closed_with_price')::integer AS closed_with_price,
    coalesce(bool_or(r.finished_at IS NOT NULL) FILTER (WHERE v.state NOT IN ('ended', 'archived')), false)
      AS has_finished,
    coalesce(
      min(r.otd_cents) FILTER (WHERE v.state = 'written'),
      min(r.otd_cents) FILTER (WHERE v.state = 'ended' AND v.is_priced AND v.is_same_car),
      min(r.otd_cents) FILTER (WHERE v.state = 'archived' AND v.is_priced AND v.is_same_car),
      min(r.otd_cents) FILTER (WHERE v.is_priced)
    )::bigint AS lowest_written_otd_cents,
    string_agg(r.id::text, ',' ORDER BY r.id) AS member_ids,
    json_agg(json_build_object(
      'year', r.shown_year, 'model', r.shown_model, 'trim', r.shown_trim,
      'exteriorColor', r.shown_exterior_color, 'mileage', r.shown_mileage,
      'listedAtCents', r.shown_listed_at_cents
    ) ORDER BY r.id) FILTER (WHERE r.chosen_at IS NOT NULL) AS chosen,
    array_agg(r.dealership_id ORDER BY r.id) FILTER (WHERE r.chosen_at IS NOT NULL) AS chosen_dealership_ids,
    -- The order of the domain's ranking: its first row is the hero.
    (array_agg(r.distance_miles ORDER BY r.otd_cents, r.shown_trim COLLATE "C" NULLS LAST,
      date_trunc('milliseconds', r.written_at), r.id) FILTER (WHERE v.state = 'written'))[1] AS hero_distance_miles,
    (array_agg(r.unlocked_at IS NOT NULL OR r.chosen_at IS NOT NULL ORDER BY r.otd_cents,
      r.shown_trim COLLATE "C" NULLS LAST, date_trunc('milliseconds', r.written_at), r.id)
      FILTER (WHERE v.state = 'written'))[1] AS is_hero_seen
  FROM price_check r
  CROSS JOIN LATERAL (SELECT
    CASE
      WHEN r.archived_at IS NOT NULL THEN 'archived'
      WHEN r.ended IS NOT NULL THEN 'ended'
      WHEN r.answer = 'different_car' THEN 'different_car'
      WHEN r.otd_cents IS NOT NULL AND r.written_at IS NOT NULL THEN 'written'
      ELSE 'waiting' END AS state,
    r.otd_cents IS NOT NULL AND r.written_at IS NOT NULL AS is_priced,
    r.answer IS DISTINCT FROM 'different_car' AS is_same_car
  ) v
  WHERE r.buyer_id = s.buyer_id AND r.request_id = s.id AND r.deal_set_id = s.id
) m ON k.kind = 'deal_set';

-- Stores what the view says of the given requests. The caller holds their rows' locks since before this
-- statement began, so every change that is committed is seen, and none comes in between.
CREATE FUNCTION request_recompute(buyer_ids uuid[], request_ids uuid[], kinds text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
-- All look-ups are by key: planned once for a session, not anew for each commit.
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  UPDATE request_feed f SET
    needs_recompute = false,
    requested_at = r.requested_at,
    is_active = r.is_active,
    has_ended = r.has_ended,
    is_archived = r.is_archived,
    has_finished = r.has_finished,
    car_year = r.car_year,
    car_make = r.car_make,
    car_model = r.car_model,
    car_trim = r.car_trim,
    car_names_dealership = r.car_names_dealership,
    written = r.written,
    waiting = r.waiting,
    different_car = r.different_car,
    ended = r.ended,
    ended_with_price = r.ended_with_price,
    closed_with_price = r.closed_with_price,
    lowest_written_otd_cents = r.lowest_written_otd_cents,
    open_items = r.open_items,
    chosen = r.chosen,
    hero_distance_miles = r.hero_distance_miles,
    is_hero_seen = r.is_hero_seen,
    chosen_dealership_ids = r.chosen_dealership_ids,
    dealership_id = r.dealership_id,
    -- An equal value keeps its place in storage: a long list is not written again with every change.
    member_ids = CASE WHEN f.member_ids = r.member_ids THEN f.member_ids ELSE r.member_ids END
  FROM unnest(buyer_ids, request_ids, kinds) AS n (buyer_id, request_id, kind)
  JOIN request_summary r ON r.buyer_id = n.buyer_id AND r.request_id = n.request_id AND r.kind = n.kind
  WHERE f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind;
END $$;

-- Recomputes what this transaction marked: of one buyer, or (null) of all.
CREATE FUNCTION feed_recompute(writer_buyer_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
BEGIN
  IF writer_buyer_id IS NULL THEN
    SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
    FROM request_feed f WHERE f.needs_recompute;
  ELSE
    SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
    FROM request_feed f WHERE f.buyer_id = writer_buyer_id AND f.needs_recompute;
  END IF;
  IF buyer_ids IS NOT NULL THEN PERFORM request_recompute(buyer_ids, request_ids, kinds); END IF;
END $$;

-- The rest replaces functions of the migrations "feed" and "feed-stamps": with the second mark.

-- Marks requests as changed by this transaction: to be stamped, unless it loads history, and to be
-- recomputed in any case. The upsert also locks their feed rows until the commit, in one order, so two writers
-- of one request follow each other: the second recomputes with what the first wrote. A writer whose
-- snapshot is older than the other's commit fails here (40001), because a mark always writes the row.
--
-- These locks are held to the end of the transaction, so the order in which a transaction changes requests
-- matters: writers that change several change them in the order of their ids (buyer, then request), or
-- PostgreSQL may have to end one of two that meet (40P01). Writers of all kinds try again on 40P01 and
-- 40001; docs/operations.md has the rule for suppliers.
--
-- Whose requests the transaction changes, one buyer's or many buyers', is kept in "deal_sets.feed_writer",
-- which a rolled-back savepoint takes back as it does the marks. Only the choice of locks hangs on it: with
-- a lock for each buyer the stamps are as right, but two such writers can deadlock.
--
-- While the transaction loads history a request keeps its place, and a new one is placed by the time it is
-- recorded unless the loader knows better.
CREATE OR REPLACE FUNCTION feed_mark(buyer_ids uuid[], request_ids uuid[], kinds text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  is_live boolean := NOT feed_is_history();
  writer text := nullif(current_setting('deal_sets.feed_writer', true), '');
BEGIN
  IF writer IS DISTINCT FROM 'many' AND (buyer_ids[1]::text <> writer OR buyer_ids[1] <> ANY (buyer_ids)) THEN
    PERFORM set_config('deal_sets.feed_writer', 'many', true);
  ELSIF writer IS NULL THEN
    PERFORM set_config('deal_sets.feed_writer', buyer_ids[1]::text, true);
  END IF;
  INSERT INTO request_feed AS f (buyer_id, request_id, kind, feed_at, is_time_known, is_pending, needs_recompute)
  SELECT DISTINCT m.buyer_id, m.request_id, m.kind, '-infinity'::timestamptz, is_live, true, true
  FROM unnest(buyer_ids, request_ids, kinds) AS m (buyer_id, request_id, kind)
  ORDER BY 1, 2, 3
  ON CONFLICT (buyer_id, request_id, kind) DO UPDATE SET
    is_pending = f.is_pending OR is_live, is_time_known = f.is_time_known OR is_live, needs_recompute = true
  WHERE NOT f.needs_recompute OR (is_live AND NOT (f.is_pending AND f.is_time_known));
END $$;

-- Rows of one transaction share a stamp, 100 at most: a page that ends in ties stays small.
CREATE OR REPLACE FUNCTION feed_stamp_buyer(writer_buyer_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  newest timestamptz;
BEGIN
  PERFORM feed_await_own_millisecond();
  -- A statement of its own: its snapshot is younger than the lock.
  WITH stamp AS (
    SELECT greatest(
      date_trunc('milliseconds', clock_timestamp()),
      (SELECT max(f.feed_at) FROM request_feed f WHERE f.buyer_id = writer_buyer_id) + interval '1 millisecond'
    ) AS at
  ), pending AS (
    SELECT f.request_id, f.kind, (row_number() OVER (ORDER BY f.request_id, f.kind) - 1) / 100 AS batch
    FROM request_feed f WHERE f.buyer_id = writer_buyer_id AND f.needs_recompute AND f.is_pending
  ), stamped AS (
    UPDATE request_feed f
    SET feed_at = stamp.at + pending.batch * interval '1 millisecond', is_pending = false
    FROM stamp, pending
    WHERE f.buyer_id = writer_buyer_id AND f.request_id = pending.request_id AND f.kind = pending.kind
    RETURNING f.feed_at
  )
  SELECT max(feed_at) INTO newest FROM stamped;
  IF newest IS NOT NULL AND EXISTS (SELECT FROM reply r WHERE r.buyer_id = writer_buyer_id AND r.feed_at IS NULL) THEN
    -- Each takes the stamp of its own request in place of this value: see reply_takes_stamp().
    UPDATE reply r SET feed_at = newest WHERE r.buyer_id = writer_buyer_id AND r.feed_at IS NULL;
  END IF;
  PERFORM feed_recompute(writer_buyer_id);
  PERFORM feed_await_clock(newest);
END $$;

-- Stamps and recomputes everything this transaction marked, in one go; call it last before the commit.
-- History that its loader placed becomes visible under the lock of all.
CREATE OR REPLACE FUNCTION feed_stamp_all() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  writer text := nullif(current_setting('deal_sets.feed_writer', true), '');
  newest timestamptz;
BEGIN
  IF writer IS DISTINCT FROM 'many' AND NOT feed_is_history() THEN
    IF writer IS NOT NULL THEN
      PERFORM feed_lock_buyer(writer::uuid);
      PERFORM feed_stamp_buyer(writer::uuid);
    END IF;
    RETURN;
  END IF;
  PERFORM feed_lock_all();
  PERFORM feed_await_own_millisecond();
  WITH stamp AS (
    SELECT p.buyer_id, greatest(
      date_trunc('milliseconds', clock_timestamp()),
      (SELECT max(f.feed_at) FROM request_feed f WHERE f.buyer_id = p.buyer_id) + interval '1 millisecond'
    ) AS at
    FROM (SELECT DISTINCT buyer_id FROM request_feed WHERE needs_recompute AND is_pending) p
  ), pending AS (
    SELECT f.buyer_id, f.request_id, f.kind,
      (row_number() OVER (PARTITION BY f.buyer_id ORDER BY f.request_id, f.kind) - 1) / 100 AS batch
    FROM request_feed f WHERE f.needs_recompute AND f.is_pending
  ), stamped AS (
    UPDATE request_feed f
    SET feed_at = stamp.at + pending.batch * interval '1 millisecond', is_pending = false
    FROM pending JOIN stamp USING (buyer_id)
    WHERE f.buyer_id = pending.buyer_id AND f.request_id = pending.request_id AND f.kind = pending.kind
    RETURNING f.feed_at
  )
  SELECT max(feed_at) INTO newest FROM stamped;
  IF newest IS NOT NULL AND EXISTS (SELECT FROM reply r WHERE r.feed_at IS NULL) THEN
    UPDATE reply r SET feed_at = newest WHERE r.feed_at IS NULL;
  END IF;
  PERFORM feed_recompute(NULL);
  PERFORM feed_await_clock(newest);
END $$;

-- Runs when the transaction commits, once for each marked row; the first of a buyer serves all of hers, the
-- first of a writer of many buyers serves everything.
CREATE OR REPLACE FUNCTION feed_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM request_feed f WHERE f.buyer_id = NEW.buyer_id AND f.needs_recompute) THEN
    RETURN NULL;
  END IF;
  IF current_setting('deal_sets.feed_writer', true) = 'many' THEN
    PERFORM feed_stamp_all();
  ELSE
    PERFORM feed_lock_buyer(NEW.buyer_id);
    PERFORM feed_stamp_buyer(NEW.buyer_id);
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER feed_stamp ON request_feed;
CREATE CONSTRAINT TRIGGER feed_stamp AFTER INSERT OR UPDATE OF needs_recompute ON request_feed
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.needs_recompute) EXECUTE FUNCTION feed_stamp();
ALTER TABLE request_feed ENABLE ALWAYS TRIGGER feed_stamp;

GRANT SELECT (
  requested_at, is_active, has_ended, is_archived, has_finished, car_year, car_make, car_model, car_trim, car_names_dealership, written, waiting, different_car,
  ended, ended_with_price, closed_with_price, lowest_written_otd_cents, open_items, member_ids, chosen
) ON request_feed TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (hero_distance_miles, is_hero_seen, chosen_dealership_ids, dealership_id)
  ON request_feed TO deal_sets_reader;
GRANT SELECT (
  buyer_id, request_id, kind, feed_at, is_time_known,
  requested_at, is_active, has_ended, is_archived, has_finished, car_year, car_make, car_model, car_trim, car_names_dealership, written, waiting, different_car,
  ended, ended_with_price, closed_with_price, lowest_written_otd_cents, open_items, member_ids, chosen
) ON request_summary TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (hero_distance_miles, is_hero_seen, chosen_dealership_ids, dealership_id)
  ON request_summary TO deal_sets_reader;
REVOKE EXECUTE ON FUNCTION request_recompute(uuid[], uuid[], text[]), feed_recompute(uuid) FROM PUBLIC;

-- The feed: one row for each request (a deal set with its members, or a single price check), placed at
-- the time of its newest change. A client polls it by that time alone, so the time must never lie: no
-- request may ever become visible at a time that a client has already passed.
--
-- How that is kept. Whatever changes a request marks its feed row in the same transaction; when that
-- transaction commits, and not before, the marked rows are stamped under a lock of their buyer that is
-- held until the commit is visible. So a buyer's stamps become visible in the order of their values, and
-- a reader who can take the lock knows that nothing older is still to come.

CREATE TABLE request_feed (
  buyer_id uuid NOT NULL REFERENCES buyer (id) ON DELETE CASCADE,
  request_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('deal_set', 'single')),
  -- Whole milliseconds: what a client is given is exactly what it is compared with.
  feed_at timestamptz(3) NOT NULL,
  -- False: the time of the newest change is unknown; feed_at is when the request was recorded.
  is_time_known boolean NOT NULL,
  -- True only inside the transaction that changes the request.
  is_pending boolean NOT NULL,
  -- With what a list shows of it, so that one probe finds a request however many its buyer has.
  PRIMARY KEY (buyer_id, request_id, kind) INCLUDE (feed_at, is_time_known)
);
CREATE INDEX request_feed_page ON request_feed (buyer_id, feed_at) INCLUDE (request_id, kind, is_time_known);
CREATE INDEX request_feed_pending ON request_feed (buyer_id) WHERE is_pending;

-- The advisory locks. Writers take the first shared and their buyer's exclusive; a writer of many buyers
-- takes the first exclusive and no other; readers try both shared.
CREATE FUNCTION feed_lock_key() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7305438106571842117::bigint $$;
CREATE FUNCTION feed_lock_key(buyer_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT hashtextextended('feed:' || buyer_id::text, 0) $$;

-- Two things make stamps safe where the newest visible one cannot be relied on, because it was deleted
-- since, or because the writer's snapshot (REPEATABLE READ) is older than its lock: what becomes visible
-- never lies ahead of the clock, and a writer with an old snapshot stamps in a later millisecond than the
-- one in which it took the lock. A clock that was set back far is not waited for.
CREATE FUNCTION feed_await_clock(after timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  WHILE after - clock_timestamp() BETWEEN interval '0' AND interval '1 second' LOOP
    PERFORM pg_sleep(extract(epoch FROM after - clock_timestamp()) + 0.0001);
  END LOOP;
END $$;

CREATE FUNCTION feed_await_own_millisecond() RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    PERFORM feed_await_clock(date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond');
  END IF;
END $$;

-- Rows of one transaction share a stamp, 100 at most: a page that ends in ties stays small.
CREATE FUNCTION feed_stamp_buyer(writer_buyer_id uuid) RETURNS void
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
    FROM request_feed f WHERE f.buyer_id = writer_buyer_id AND f.is_pending
  ), stamped AS (
    UPDATE request_feed f
    SET feed_at = stamp.at + pending.batch * interval '1 millisecond', is_pending = false
    FROM stamp, pending
    WHERE f.buyer_id = writer_buyer_id AND f.request_id = pending.request_id AND f.kind = pending.kind
    RETURNING f.feed_at
  )
  SELECT max(feed_at) INTO newest FROM stamped;
  PERFORM feed_await_clock(newest);
END $$;

-- For the writer of one buyer: held until its commit is visible.
CREATE FUNCTION feed_lock_buyer(writer_buyer_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(feed_lock_key());
  PERFORM pg_advisory_xact_lock(feed_lock_key(writer_buyer_id));
END $$;

-- For a writer of many buyers: one lock in place of thousands. It is taken at the very end, when the
-- transaction holds every row it needs: one that waited for a row with this lock in hand could deadlock.
CREATE FUNCTION feed_lock_all() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(feed_lock_key());
  PERFORM set_config('deal_sets.feed_writer', 'many', true);
END $$;

-- Stamps everything this transaction marked, in one go; call it last before the commit. History that was
-- placed by hand becomes visible under the lock of all, whoever's it is.
CREATE FUNCTION feed_stamp_all() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  writer text := nullif(current_setting('deal_sets.feed_writer', true), '');
  newest timestamptz;
BEGIN
  IF writer IS DISTINCT FROM 'many' AND current_setting('deal_sets.feed_mode', true) IS DISTINCT FROM 'backfill' THEN
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
    FROM (SELECT DISTINCT buyer_id FROM request_feed WHERE is_pending) p
  ), pending AS (
    SELECT f.buyer_id, f.request_id, f.kind,
      (row_number() OVER (PARTITION BY f.buyer_id ORDER BY f.request_id, f.kind) - 1) / 100 AS batch
    FROM request_feed f WHERE f.is_pending
  ), stamped AS (
    UPDATE request_feed f
    SET feed_at = stamp.at + pending.batch * interval '1 millisecond', is_pending = false
    FROM pending JOIN stamp USING (buyer_id)
    WHERE f.buyer_id = pending.buyer_id AND f.request_id = pending.request_id AND f.kind = pending.kind
    RETURNING f.feed_at
  )
  SELECT max(feed_at) INTO newest FROM stamped;
  PERFORM feed_await_clock(newest);
END $$;

-- Runs when the transaction commits, once for each marked row; the first of a buyer stamps all of hers,
-- the first of a writer of many buyers stamps everything.
CREATE FUNCTION feed_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM request_feed f WHERE f.buyer_id = NEW.buyer_id AND f.is_pending) THEN
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
CREATE CONSTRAINT TRIGGER feed_stamp AFTER INSERT OR UPDATE OF is_pending ON request_feed
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.is_pending) EXECUTE FUNCTION feed_stamp();

-- Marks requests as changed by this transaction. The upsert also locks their feed rows, in one order, so
-- two writers of one request follow each other: the second sees what the first wrote.
--
-- Whose requests the transaction changes, one buyer's or many buyers', is kept in "deal_sets.feed_writer",
-- which a rolled-back savepoint takes back as it does the marks. Only the choice of locks hangs on it: with
-- a lock for each buyer the stamps are as right, but two such writers can deadlock.
--
-- While history is loaded ("deal_sets.feed_mode" is "backfill" in the transaction) a request keeps its
-- place, and a new one is placed by the time it is recorded unless the loader knows better.
CREATE FUNCTION feed_mark(buyer_ids uuid[], request_ids uuid[], kinds text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  is_live boolean := current_setting('deal_sets.feed_mode', true) IS DISTINCT FROM 'backfill';
  writer text := nullif(current_setting('deal_sets.feed_writer', true), '');
BEGIN
  IF writer IS DISTINCT FROM 'many' AND (buyer_ids[1]::text <> writer OR buyer_ids[1] <> ANY (buyer_ids)) THEN
    PERFORM set_config('deal_sets.feed_writer', 'many', true);
  ELSIF writer IS NULL THEN
    PERFORM set_config('deal_sets.feed_writer', buyer_ids[1]::text, true);
  END IF;
  INSERT INTO request_feed AS f (buyer_id, request_id, kind, feed_at, is_time_known, is_pending)
  SELECT DISTINCT m.buyer_id, m.request_id, m.kind, '-infinity'::timestamptz, is_live, true
  FROM unnest(buyer_ids, request_ids, kinds) AS m (buyer_id, request_id, kind)
  ORDER BY 1, 2, 3
  ON CONFLICT (buyer_id, request_id, kind) DO UPDATE SET is_pending = true, is_time_known = true
  WHERE is_live AND NOT (f.is_pending AND f.is_time_known);
END $$;

-- Marks requests that were changed; those that were taken away leave the feed, for there are no tombstones.
CREATE FUNCTION feed_change(buyer_ids uuid[], request_ids uuid[], kinds text[], may_be_gone boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF may_be_gone THEN
    WITH named AS (
      SELECT DISTINCT m.* FROM unnest(buyer_ids, request_ids, kinds) AS m (buyer_id, request_id, kind)
    ), present AS (
      SELECT n.*, CASE n.kind
        WHEN 'deal_set' THEN EXISTS (
          SELECT FROM deal_set d WHERE d.buyer_id = n.buyer_id AND d.id = n.request_id)
        ELSE EXISTS (
          SELECT FROM price_check p
          WHERE p.buyer_id = n.buyer_id AND p.id = n.request_id AND p.deal_set_id IS NULL) END AS is_there
      FROM named n
    ), gone AS (
      DELETE FROM request_feed f USING present n
      WHERE NOT n.is_there AND f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind
    )
    SELECT array_agg(n.buyer_id), array_agg(n.request_id), array_agg(n.kind)
      INTO buyer_ids, request_ids, kinds
    FROM present n WHERE n.is_there;
  END IF;
  IF buyer_ids IS NOT NULL THEN PERFORM feed_mark(buyer_ids, request_ids, kinds); END IF;
END $$;

-- Marks what a statement on one of the tables changed.
-- A row that stays as it was is no change, and a row that moves changes both of its requests.
CREATE FUNCTION feed_follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
  changed text;
  request text;
BEGIN
  changed := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT n.* FROM new_rows n'
    WHEN 'DELETE' THEN 'SELECT o.* FROM old_rows o'
    ELSE 'SELECT n.* FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
            WHERE n.* IS DISTINCT FROM o.*
          UNION ALL
          SELECT o.* FROM old_rows o LEFT JOIN new_rows n ON o.buyer_id = n.buyer_id AND o.id = n.id
            WHERE n.* IS DISTINCT FROM o.*'
  END;
  request := CASE TG_TABLE_NAME
    WHEN 'deal_set' THEN 'SELECT c.buyer_id, c.id AS request_id, ''deal_set'' AS kind FROM changed c'
    WHEN 'price_check' THEN 'SELECT c.buyer_id, c.request_id,
      CASE WHEN c.deal_set_id IS NULL THEN ''single'' ELSE ''deal_set'' END AS kind FROM changed c'
    -- Its price check may have moved on, and take it along: what it was part of is told by its own key.
    ELSE 'SELECT c.buyer_id, c.request_id, CASE
        WHEN p.request_id = c.request_id AND p.deal_set_id IS NOT NULL THEN ''deal_set''
        WHEN c.request_id = c.price_check_id THEN ''single''
        ELSE ''deal_set'' END AS kind
      FROM changed c LEFT JOIN price_check p ON p.buyer_id = c.buyer_id AND p.id = c.price_check_id'
  END;
  EXECUTE format('WITH changed AS (%s), request AS (SELECT DISTINCT * FROM (%s) r)
      SELECT array_agg(buyer_id), array_agg(request_id), array_agg(kind) FROM request', changed, request)
    INTO buyer_ids, request_ids, kinds;
  IF buyer_ids IS NULL THEN RETURN NULL; END IF;

  PERFORM feed_change(buyer_ids, request_ids, kinds, TG_OP <> 'INSERT');
  RETURN NULL;
END $$;

-- A subscriber's apply process fires row triggers and no statement triggers: this one is for it alone.
CREATE FUNCTION feed_follow_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  sides jsonb[];
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
BEGIN
  IF TG_OP = 'UPDATE' AND OLD IS NOT DISTINCT FROM NEW THEN RETURN NULL; END IF;
  sides := CASE TG_OP
    WHEN 'INSERT' THEN ARRAY[to_jsonb(NEW)]
    WHEN 'DELETE' THEN ARRAY[to_jsonb(OLD)]
    ELSE ARRAY[to_jsonb(OLD), to_jsonb(NEW)] END;
  SELECT array_agg(r.buyer_id), array_agg(r.request_id), array_agg(r.kind) INTO buyer_ids, request_ids, kinds
  FROM (
    SELECT DISTINCT c.buyer_id, coalesce(c.request_id, c.id) AS request_id, CASE
        WHEN TG_TABLE_NAME = 'deal_set' OR c.deal_set_id IS NOT NULL THEN 'deal_set'
        WHEN TG_TABLE_NAME = 'price_check' THEN 'single'
        WHEN p.request_id = c.request_id AND p.deal_set_id IS NOT NULL THEN 'deal_set'
        WHEN c.request_id = c.price_check_id THEN 'single'
        ELSE 'deal_set' END AS kind
    FROM unnest(sides) side
    CROSS JOIN LATERAL jsonb_to_record(side)
      AS c (buyer_id uuid, id uuid, request_id uuid, deal_set_id uuid, price_check_id uuid)
    LEFT JOIN price_check p ON p.buyer_id = c.buyer_id AND p.id = c.price_check_id
  ) r;
  PERFORM feed_change(buyer_ids, request_ids, kinds, TG_OP <> 'INSERT');
  IF TG_TABLE_NAME = 'price_check' THEN PERFORM clean_listings(buyer_ids, request_ids); END IF;
  RETURN NULL;
END $$;

-- A table that is emptied at once tells no trigger what was in it.
CREATE FUNCTION feed_refuses_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM request_feed) THEN
    RAISE EXCEPTION 'rows of % are deleted, not truncated', TG_TABLE_NAME
      USING ERRCODE = 'feature_not_supported', HINT = 'Use DELETE; or TRUNCATE buyer CASCADE, which empties everything.';
  END IF;
  RETURN NULL;
END $$;

-- A price check begins with its listing shown as it is; the statement's own trigger then hides what must
-- be. Only triggers may write what is shown.
CREATE FUNCTION price_check_takes_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT'
    OR (NEW.dealership_id, NEW.deal_set_id) IS DISTINCT FROM (OLD.dealership_id, OLD.deal_set_id) THEN
    -- Locked, so that a renaming and this writer follow each other: the later one sees the other.
    SELECT coalesce(d.verified_partner, false) INTO NEW.shown_verified_partner
    FROM dealership d WHERE d.id = NEW.dealership_id FOR SHARE;
    NEW.shown_verified_partner := coalesce(NEW.shown_verified_partner, false);
  ELSIF pg_trigger_depth() = 1 THEN
    NEW.shown_verified_partner := OLD.shown_verified_partner;
  END IF;
  IF TG_OP = 'INSERT' OR
     (NEW.listing_year, NEW.listing_make, NEW.listing_model, NEW.listing_trim, NEW.listing_exterior_color,
      NEW.listing_mileage, NEW.listing_listed_at_cents) IS DISTINCT FROM
     (OLD.listing_year, OLD.listing_make, OLD.listing_model, OLD.listing_trim, OLD.listing_exterior_color,
      OLD.listing_mileage, OLD.listing_listed_at_cents) THEN
    NEW.shown_year := NEW.listing_year;
    NEW.shown_make := listing_text(NEW.listing_make);
    NEW.shown_model := listing_text(NEW.listing_model);
    NEW.shown_trim := listing_text(NEW.listing_trim);
    NEW.shown_exterior_color := listing_text(NEW.listing_exterior_color);
    NEW.shown_mileage := NEW.listing_mileage;
    NEW.shown_listed_at_cents := NEW.listing_listed_at_cents;
  ELSIF pg_trigger_depth() = 1 THEN
    NEW.shown_year := OLD.shown_year;
    NEW.shown_make := OLD.shown_make;
    NEW.shown_model := OLD.shown_model;
    NEW.shown_trim := OLD.shown_trim;
    NEW.shown_exterior_color := OLD.shown_exterior_color;
    NEW.shown_mileage := OLD.shown_mileage;
    NEW.shown_listed_at_cents := OLD.shown_listed_at_cents;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER price_check_takes_listing BEFORE INSERT OR UPDATE ON price_check
  FOR EACH ROW EXECUTE FUNCTION price_check_takes_listing();

-- Names and listings are compared under row locks that only tell a younger snapshot the truth: with an
-- older one a listing would be compared with a name that is no longer the dealership's. Everything else may
-- be written at any isolation level: also a new single request, because its only dealership is locked, and
-- locking a row that is newer than the snapshot fails.
CREATE FUNCTION assert_read_committed() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'listings and dealerships are written at isolation level READ COMMITTED'
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
END $$;

-- Cleans every listing of the requests whose dealerships or listings a statement changed.
CREATE FUNCTION price_check_cleans_listings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  needs_young_snapshot boolean := true;
  buyer_ids uuid[];
  request_ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(buyer_id), array_agg(request_id), bool_or(is_member)
      INTO buyer_ids, request_ids, needs_young_snapshot
    FROM (SELECT buyer_id, request_id, bool_or(deal_set_id IS NOT NULL) AS is_member
          FROM new_rows GROUP BY 1, 2) r;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(buyer_id), array_agg(request_id) INTO buyer_ids, request_ids
    FROM (SELECT DISTINCT buyer_id, request_id FROM old_rows WHERE deal_set_id IS NOT NULL) r;
  ELSE
    SELECT array_agg(r.buyer_id), array_agg(r.request_id) INTO buyer_ids, request_ids
    FROM (
      SELECT DISTINCT side.buyer_id, side.request_id
      FROM new_rows n FULL JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
      CROSS JOIN LATERAL (VALUES (n.buyer_id, n.request_id), (o.buyer_id, o.request_id))
        AS side (buyer_id, request_id)
      WHERE side.buyer_id IS NOT NULL AND
        (n.request_id, n.dealership_id, n.listing_year, n.listing_make, n.listing_model, n.listing_trim,
         n.listing_exterior_color, n.listing_mileage, n.listing_listed_at_cents) IS DISTINCT FROM
        (o.request_id, o.dealership_id, o.listing_year, o.listing_make, o.listing_model, o.listing_trim,
         o.listing_exterior_color, o.listing_mileage, o.listing_listed_at_cents)
    ) r;
  END IF;
  IF buyer_ids IS NOT NULL THEN
    IF needs_young_snapshot THEN PERFORM assert_read_committed(); END IF;
    PERFORM clean_listings(buyer_ids, request_ids);
  END IF;
  RETURN NULL;
END $$;

-- Triggers of one event run in the order of their names: first the mark, which also makes writers of one
-- request follow each other, then the cleaning, which must see what they wrote.
DO $$
DECLARE
  watched text;
BEGIN
  FOREACH watched IN ARRAY ARRAY['deal_set', 'price_check', 'question', 'draft', 'reply'] LOOP
    EXECUTE format('CREATE TRIGGER t1_feed_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION feed_follow()', watched);
    EXECUTE format('CREATE TRIGGER t1_feed_update AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION feed_follow()', watched);
    EXECUTE format('CREATE TRIGGER t1_feed_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION feed_follow()', watched);
  END LOOP;
END $$;
CREATE TRIGGER t2_listings_insert AFTER INSERT ON price_check REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION price_check_cleans_listings();
CREATE TRIGGER t2_listings_update AFTER UPDATE ON price_check REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION price_check_cleans_listings();
CREATE TRIGGER t2_listings_delete AFTER DELETE ON price_check REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION price_check_cleans_listings();

-- A dealership that changes its name, contact or partner status changes requests of many buyers.
CREATE FUNCTION dealership_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  has_new_identity boolean := (NEW.whole_keys, NEW.loose_keys) IS DISTINCT FROM (OLD.whole_keys, OLD.loose_keys);
  has_new_name boolean := NEW.name IS DISTINCT FROM OLD.name;
  has_new_partner boolean :=
    coalesce(NEW.verified_partner, false) IS DISTINCT FROM coalesce(OLD.verified_partner, false);
  buyer_ids uuid[];
  request_ids uuid[];
  locked_buyer_ids uuid[];
  locked_request_ids uuid[];
  seen_buyer_ids uuid[];
  seen_request_ids uuid[];
  seen_kinds text[];
BEGIN
  IF NOT (has_new_identity OR has_new_name OR has_new_partner) THEN RETURN NULL; END IF;
  PERFORM assert_read_committed();

  IF has_new_partner THEN
    UPDATE price_check p SET shown_verified_partner = coalesce(NEW.verified_partner, false)
    WHERE p.dealership_id = NEW.id
      AND p.shown_verified_partner IS DISTINCT FROM coalesce(NEW.verified_partner, false);
  END IF;
  IF NOT (has_new_identity OR has_new_name) THEN RETURN NULL; END IF;

  -- Wait for writers of its requests: what they add must be compared with the new name too, and where
  -- they unlock or choose, the buyer sees the name. Meanwhile a row may have joined another request.
  LOOP
    SELECT array_agg(r.buyer_id), array_agg(r.request_id) INTO buyer_ids, request_ids
    FROM (SELECT DISTINCT p.buyer_id, p.request_id FROM price_check p WHERE p.dealership_id = NEW.id
          ORDER BY 1, 2) r;
    EXIT WHEN (buyer_ids, request_ids) IS NOT DISTINCT FROM (locked_buyer_ids, locked_request_ids);
    PERFORM FROM request_feed f JOIN unnest(buyer_ids, request_ids) AS r (buyer_id, request_id)
      ON r.buyer_id = f.buyer_id AND r.request_id = f.request_id
      ORDER BY f.buyer_id, f.request_id, f.kind FOR UPDATE OF f;
    locked_buyer_ids := buyer_ids;
    locked_request_ids := request_ids;
  END LOOP;
  IF buyer_ids IS NULL THEN RETURN NULL; END IF;

  IF has_new_name THEN
    SELECT array_agg(r.buyer_id), array_agg(r.request_id), array_agg(r.kind)
      INTO seen_buyer_ids, seen_request_ids, seen_kinds
    FROM (SELECT DISTINCT p.buyer_id, p.request_id,
            CASE WHEN p.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END AS kind
          FROM price_check p
          WHERE p.dealership_id = NEW.id AND (p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)) r;
    IF seen_buyer_ids IS NOT NULL THEN
      PERFORM feed_mark(seen_buyer_ids, seen_request_ids, seen_kinds);
    END IF;
  END IF;
  IF has_new_identity THEN PERFORM clean_listings(buyer_ids, request_ids); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER dealership_changed AFTER UPDATE ON dealership
  FOR EACH ROW EXECUTE FUNCTION dealership_changed();

DO $$
DECLARE
  watched text;
BEGIN
  FOREACH watched IN ARRAY ARRAY['deal_set', 'price_check', 'question', 'draft', 'reply'] LOOP
    EXECUTE format('CREATE TRIGGER t3_feed_truncate AFTER TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION feed_refuses_truncate()', watched);
  END LOOP;
END $$;

-- Rows that arrive by logical replication are changes like any other.
DO $$
DECLARE
  t record;
  watched text;
BEGIN
  FOR t IN
    SELECT tgrelid::regclass AS tab, tgname FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY (ARRAY[
      'deal_set', 'price_check', 'question', 'draft', 'reply', 'dealership', 'request_feed'])
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.tab, t.tgname);
  END LOOP;

  FOREACH watched IN ARRAY ARRAY['deal_set', 'price_check', 'question', 'draft', 'reply'] LOOP
    EXECUTE format('CREATE TRIGGER t4_feed_row AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH ROW EXECUTE FUNCTION feed_follow_row()', watched);
    EXECUTE format('ALTER TABLE %I ENABLE REPLICA TRIGGER t4_feed_row', watched);
  END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION feed_change(uuid[], uuid[], text[], boolean), feed_lock_buyer(uuid) FROM PUBLIC;

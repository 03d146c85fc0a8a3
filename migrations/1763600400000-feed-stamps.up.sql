-- History mode that holds in one transaction alone, and the time at which a reply became readable.
--
-- Data: fills reply.feed_at of every reply in one statement. What a client sees of a request does not
-- change, so no request is stamped: t1_feed_update and t4_feed_row on reply are disabled inside this
-- transaction. The table is locked until it commits. The version before this one runs on: it reads
-- replies by received_at, for which the new index serves as well as the one it replaces. Its import with
-- --backfill is refused, because it asks for history mode in a way that has no effect any more.

-- A transaction loads history exactly when its own id and start are in here, which only the function below
-- writes. So history mode ends with the transaction, also one that is prepared; it goes back with a
-- savepoint; no setting of a session enters it; and a row that came from another server, in a dump say, means
-- nothing, because no transaction has both its id and its start.
CREATE TABLE feed_history (
  xid xid8 PRIMARY KEY,
  started_at timestamptz NOT NULL
);

-- For a loader of history, in the transaction that loads it, before its first change. It is the owner's:
-- another login needs EXECUTE on it.
CREATE FUNCTION feed_enter_history() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- What earlier loads left behind.
  DELETE FROM feed_history h USING (
    SELECT e.xid FROM feed_history e WHERE e.xid < pg_snapshot_xmin(pg_current_snapshot()) FOR UPDATE SKIP LOCKED
  ) ended WHERE h.xid = ended.xid;
  INSERT INTO feed_history (xid, started_at) VALUES (pg_current_xact_id(), now())
    ON CONFLICT (xid) DO UPDATE SET started_at = EXCLUDED.started_at;
END $$;

CREATE FUNCTION feed_is_history() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM feed_history h WHERE h.xid = pg_current_xact_id_if_assigned() AND h.started_at = now())
$$;
REVOKE EXECUTE ON FUNCTION feed_enter_history(), feed_is_history() FROM PUBLIC;

-- When the reply became readable: the stamp of the commit that brought it, and so never at or before a
-- Service-As-Of that was handed out earlier. Null only inside that transaction.
ALTER TABLE reply ADD COLUMN feed_at timestamptz(3);

ALTER TABLE reply DISABLE TRIGGER t1_feed_update;
ALTER TABLE reply DISABLE TRIGGER t4_feed_row;
UPDATE reply SET feed_at = least(date_trunc('milliseconds', received_at), date_trunc('milliseconds', now()));
ALTER TABLE reply ENABLE ALWAYS TRIGGER t1_feed_update;
ALTER TABLE reply ENABLE REPLICA TRIGGER t4_feed_row;

-- Leads with what every look-up of a request's replies names, by stamp or by receipt.
CREATE INDEX reply_readable ON reply (buyer_id, request_id, feed_at);
CREATE INDEX reply_unstamped ON reply (buyer_id) WHERE feed_at IS NULL;
DROP INDEX reply_received;
GRANT SELECT (feed_at) ON reply TO deal_sets_reader, deal_sets_assistant;

-- Only the commit writes a stamp. A reply is new where it was not readable before: when it is
-- inserted, and when it goes to a price check of another request or to another buyer. One that is corrected,
-- or that a moving price check takes along, was readable and keeps its stamp.
--
-- A reply of history became readable when it was received, or now when that is still to come.
CREATE FUNCTION reply_takes_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.feed_at := CASE WHEN feed_is_history()
      THEN least(date_trunc('milliseconds', NEW.received_at), date_trunc('milliseconds', clock_timestamp())) END;
  ELSIF NEW.buyer_id <> OLD.buyer_id
    OR (NEW.price_check_id <> OLD.price_check_id AND NEW.request_id <> OLD.request_id) THEN
    NEW.feed_at := CASE WHEN feed_is_history() THEN OLD.feed_at END;
  ELSIF OLD.feed_at IS NULL AND NEW.feed_at IS NOT NULL THEN
    SELECT f.feed_at INTO NEW.feed_at
    FROM request_feed f
    WHERE f.buyer_id = NEW.buyer_id AND f.request_id = NEW.request_id AND NOT f.is_pending
      AND f.kind = CASE WHEN NEW.price_check_id = NEW.request_id AND EXISTS (
          SELECT FROM price_check p
          WHERE p.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id AND p.deal_set_id IS NULL)
        THEN 'single' ELSE 'deal_set' END;
  ELSE
    NEW.feed_at := OLD.feed_at;
  END IF;
  RETURN NEW;
END $$;
-- After reply_takes_request, in the order of names: it needs the request.
CREATE TRIGGER reply_takes_stamp BEFORE INSERT OR UPDATE ON reply
  FOR EACH ROW EXECUTE FUNCTION reply_takes_stamp();
ALTER TABLE reply ENABLE ALWAYS TRIGGER reply_takes_stamp;

-- A request that this transaction changed may be placed by history only where it has no place yet: moved
-- back it would be skipped.
CREATE FUNCTION feed_never_back() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'a request that changed cannot move back in the feed'
    USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = 'Load history in a transaction that called feed_enter_history() first; deal-sets import --backfill of this version does.';
END $$;
CREATE TRIGGER feed_never_back BEFORE UPDATE ON request_feed
  FOR EACH ROW WHEN (OLD.is_pending AND NOT NEW.is_pending AND NEW.feed_at < OLD.feed_at)
  EXECUTE FUNCTION feed_never_back();
ALTER TABLE request_feed ENABLE ALWAYS TRIGGER feed_never_back;

-- The rest replaces functions of the migration "feed": with history as above, and with replies stamped.

-- Marks requests as changed by this transaction. The upsert also locks their feed rows, in one order, so
-- two writers of one request follow each other: the second sees what the first wrote.
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
  INSERT INTO request_feed AS f (buyer_id, request_id, kind, feed_at, is_time_known, is_pending)
  SELECT DISTINCT m.buyer_id, m.request_id, m.kind, '-infinity'::timestamptz, is_live, true
  FROM unnest(buyer_ids, request_ids, kinds) AS m (buyer_id, request_id, kind)
  ORDER BY 1, 2, 3
  ON CONFLICT (buyer_id, request_id, kind) DO UPDATE SET is_pending = true, is_time_known = true
  WHERE is_live AND NOT (f.is_pending AND f.is_time_known);
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
    FROM request_feed f WHERE f.buyer_id = writer_buyer_id AND f.is_pending
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
  PERFORM feed_await_clock(newest);
END $$;

-- Stamps everything this transaction marked, in one go; call it last before the commit. History that its
-- loader placed becomes visible under the lock of all.
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
  IF newest IS NOT NULL AND EXISTS (SELECT FROM reply r WHERE r.feed_at IS NULL) THEN
    UPDATE reply r SET feed_at = newest WHERE r.feed_at IS NULL;
  END IF;
  PERFORM feed_await_clock(newest);
END $$;

-- Marks what a statement on one of the tables changed.
-- A row that stays as it was is no change, and a row that moves changes both of its requests.
CREATE OR REPLACE FUNCTION feed_follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
  differs text;
  changed text;
  request text;
BEGIN
  -- A reply that is stamped has not changed. A column that is added to replies and shown belongs in here.
  differs := CASE TG_TABLE_NAME
    WHEN 'reply' THEN '(n.request_id, n.price_check_id, n.received_at) IS DISTINCT FROM
            (o.request_id, o.price_check_id, o.received_at)'
    ELSE 'n.* IS DISTINCT FROM o.*'
  END;
  changed := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT n.* FROM new_rows n'
    WHEN 'DELETE' THEN 'SELECT o.* FROM old_rows o'
    ELSE format('SELECT n.* FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
            WHERE %1$s
          UNION ALL
          SELECT o.* FROM old_rows o LEFT JOIN new_rows n ON o.buyer_id = n.buyer_id AND o.id = n.id
            WHERE %1$s', differs)
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
CREATE OR REPLACE FUNCTION feed_follow_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  sides jsonb[];
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
BEGIN
  -- The stamp of a reply is not part of what changed.
  IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - 'feed_at' = to_jsonb(NEW) - 'feed_at' THEN RETURN NULL; END IF;
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

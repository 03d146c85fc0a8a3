-- Puts back the functions of the migrations "feed-stamps" and "feed".
DROP TRIGGER feed_stamp ON request_feed;
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

CREATE OR REPLACE FUNCTION feed_stamp() RETURNS trigger
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
ALTER TABLE request_feed ENABLE ALWAYS TRIGGER feed_stamp;

DROP FUNCTION feed_recompute(uuid), request_recompute(uuid[], uuid[], text[]);
DROP VIEW request_summary;
DROP INDEX request_feed_active, request_feed_not_computed, request_feed_marked;
CREATE INDEX request_feed_pending ON request_feed (buyer_id) WHERE is_pending;
ALTER TABLE request_feed RESET (toast_tuple_target);
ALTER TABLE request_feed
  DROP COLUMN needs_recompute,
  DROP COLUMN requested_at,
  DROP COLUMN is_active,
  DROP COLUMN has_ended,
  DROP COLUMN is_archived,
  DROP COLUMN has_finished,
  DROP COLUMN car_year,
  DROP COLUMN car_make,
  DROP COLUMN car_model,
  DROP COLUMN car_trim,
  DROP COLUMN car_names_dealership,
  DROP COLUMN written,
  DROP COLUMN waiting,
  DROP COLUMN different_car,
  DROP COLUMN ended,
  DROP COLUMN ended_with_price,
  DROP COLUMN closed_with_price,
  DROP COLUMN lowest_written_otd_cents,
  DROP COLUMN open_items,
  DROP COLUMN member_ids,
  DROP COLUMN chosen,
  DROP COLUMN hero_distance_miles,
  DROP COLUMN is_hero_seen,
  DROP COLUMN chosen_dealership_ids,
  DROP COLUMN dealership_id;

-- Replies are looked up by their receipt again, and history mode is a setting. No request is stamped.
DROP TRIGGER feed_never_back ON request_feed;
DROP TRIGGER reply_takes_stamp ON reply;
DROP INDEX reply_readable, reply_unstamped;
ALTER TABLE reply DROP COLUMN feed_at;
CREATE INDEX reply_received ON reply (buyer_id, request_id, received_at);

-- As the migration "feed" made them.
CREATE OR REPLACE FUNCTION feed_mark(buyer_ids uuid[], request_ids uuid[], kinds text[]) RETURNS void
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
  PERFORM feed_await_clock(newest);
END $$;

CREATE OR REPLACE FUNCTION feed_stamp_all() RETURNS void
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

CREATE OR REPLACE FUNCTION feed_follow() RETURNS trigger
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

CREATE OR REPLACE FUNCTION feed_follow_row() RETURNS trigger
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

DROP FUNCTION feed_never_back(), reply_takes_stamp(), feed_is_history(), feed_enter_history();
DROP TABLE feed_history;

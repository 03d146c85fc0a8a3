-- Puts back what the migrations "rebuild", "rebuild-read-model" and "feed" made.
DROP FUNCTION rebuild_requests(uuid, uuid, uuid, text, integer, boolean);
DROP TABLE rebuild_batch;
DROP FUNCTION rebuild_batch_runs();
DROP TABLE stamp_order;
DROP FUNCTION run_stamp_order();

-- Whether a stored row says something else than the data.
CREATE FUNCTION request_differs(f request_feed, r request_summary) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = public, pg_temp AS $$
  SELECT (f.requested_at, f.is_active, f.has_ended, f.is_archived, f.has_finished, f.car_year, f.car_make,
     f.car_model, f.car_trim, f.car_names_dealership, f.written, f.waiting, f.different_car, f.ended,
     f.ended_with_price, f.closed_with_price, f.lowest_written_otd_cents, f.open_items, f.member_ids,
     f.chosen::text, f.hero_distance_miles, f.is_hero_seen, f.chosen_dealership_ids, f.dealership_id)
    IS DISTINCT FROM
    (r.requested_at, r.is_active, r.has_ended, r.is_archived, r.has_finished, r.car_year, r.car_make,
     r.car_model, r.car_trim, r.car_names_dealership, r.written, r.waiting, r.different_car, r.ended,
     r.ended_with_price, r.closed_with_price, r.lowest_written_otd_cents, r.open_items, r.member_ids,
     r.chosen::text, r.hero_distance_miles, r.is_hero_seen, r.chosen_dealership_ids, r.dealership_id)
$$;
REVOKE EXECUTE ON FUNCTION request_differs(request_feed, request_summary) FROM PUBLIC;

-- A batch to rebuild; empty outside the transaction that rebuilds it. What is derived is written inside
-- triggers alone, so a rebuild too works inside one: a statement's own.
CREATE TABLE rebuild_batch (
  buyer_id uuid NOT NULL,
  request_id uuid NOT NULL,
  kind text NOT NULL
);

CREATE FUNCTION rebuild_batch_runs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
BEGIN
  PERFORM assert_read_committed();
  SELECT array_agg(n.buyer_id), array_agg(n.request_id) INTO buyer_ids, request_ids
  FROM (SELECT DISTINCT b.buyer_id, b.request_id FROM new_rows b ORDER BY 1, 2) n;
  IF buyer_ids IS NULL THEN RETURN NULL; END IF;
  -- Marks, by the tables' own triggers, the requests of which it changed anything.
  PERFORM clean_listings(buyer_ids, request_ids);

  SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
  FROM new_rows b JOIN request_feed f
    ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
  WHERE f.rules_revision < rules_revision();
  IF buyer_ids IS NOT NULL THEN
    UPDATE request_feed f SET rules_revision = rules_revision()
    FROM unnest(buyer_ids, request_ids, kinds) AS n (buyer_id, request_id, kind)
    WHERE f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind;

    SELECT array_agg(r.buyer_id), array_agg(r.request_id), array_agg(r.kind) INTO buyer_ids, request_ids, kinds
    FROM requests_shown_otherwise(buyer_ids, request_ids, kinds) r;
    IF buyer_ids IS NOT NULL THEN PERFORM feed_mark(buyer_ids, request_ids, kinds); END IF;
  END IF;

  -- Rows of the read model. One that was computed otherwise before shows a client something else; one that is
  -- computed for the first time says what was computed on each read until now.
  SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
  FROM new_rows b
  JOIN request_feed f ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
  JOIN request_summary r ON r.buyer_id = b.buyer_id AND r.request_id = b.request_id AND r.kind = b.kind
  WHERE f.requested_at IS NOT NULL AND NOT f.needs_recompute AND request_differs(f, r);
  IF buyer_ids IS NOT NULL THEN PERFORM feed_mark(buyer_ids, request_ids, kinds); END IF;
  SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
  FROM new_rows b JOIN request_feed f
    ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
  WHERE f.requested_at IS NULL AND NOT f.needs_recompute;
  IF buyer_ids IS NOT NULL THEN PERFORM request_recompute(buyer_ids, request_ids, kinds); END IF;

  DELETE FROM rebuild_batch b USING new_rows n
  WHERE b.buyer_id = n.buyer_id AND b.request_id = n.request_id AND b.kind = n.kind;
  RETURN NULL;
END $$;
CREATE TRIGGER rebuild_batch_runs AFTER INSERT ON rebuild_batch REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION rebuild_batch_runs();

CREATE FUNCTION rebuild_requests(
  after_buyer_id uuid, after_request_id uuid, after_kind text, batch_size integer, is_all boolean
) RETURNS TABLE (buyer_id uuid, request_id uuid, kind text, rebuilt integer, stamped integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
BEGIN
  -- Locked first, as by every writer that cleans: others of these requests follow, and are seen.
  SELECT array_agg(b.buyer_id), array_agg(b.request_id), array_agg(b.kind) INTO buyer_ids, request_ids, kinds
  FROM (
    SELECT f.buyer_id, f.request_id, f.kind FROM request_feed f
    WHERE (f.buyer_id, f.request_id, f.kind) > (after_buyer_id, after_request_id, after_kind)
      AND (is_all OR f.rules_revision < rules_revision() OR f.requested_at IS NULL)
    ORDER BY f.buyer_id, f.request_id, f.kind LIMIT batch_size FOR UPDATE
  ) b;
  IF buyer_ids IS NULL THEN RETURN; END IF;
  INSERT INTO rebuild_batch (buyer_id, request_id, kind)
  SELECT n.* FROM unnest(buyer_ids, request_ids, kinds) AS n (buyer_id, request_id, kind);

  RETURN QUERY
  SELECT buyer_ids[cardinality(buyer_ids)], request_ids[cardinality(buyer_ids)], kinds[cardinality(buyer_ids)],
    cardinality(buyer_ids), (
      SELECT count(*)::integer FROM unnest(buyer_ids, request_ids, kinds) AS n (buyer_id, request_id, kind)
      JOIN request_feed f ON f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind
      WHERE f.is_pending);
END $$;
REVOKE EXECUTE ON FUNCTION rebuild_requests(uuid, uuid, text, integer, boolean) FROM PUBLIC;

CREATE OR REPLACE FUNCTION feed_refuses_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM request_feed) THEN
    RAISE EXCEPTION 'rows of % are deleted, not truncated', TG_TABLE_NAME
      USING ERRCODE = 'feature_not_supported', HINT = 'Use DELETE; or TRUNCATE buyer CASCADE, which empties everything.';
  END IF;
  RETURN NULL;
END $$;

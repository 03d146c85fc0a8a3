-- `deal-sets rebuild` goes through one part of a distributed database after another; a single PostgreSQL is one part.
-- There an import stamps each part before it commits, as it does on a single PostgreSQL, and what refuses TRUNCATE refuses
-- it. No stored data change.
--
-- A part is a set of shards, on one worker. What is derived is written inside triggers alone, and a trigger sees the
-- whole part that its row is in. So a batch is an order in one row that names the part by one of its buyers; the
-- trigger of that row picks the requests, locks and rebuilds them, and leaves the outcome in the row. No statement reads
-- or locks requests of several workers, which the distributed engine refuses.

DROP FUNCTION rebuild_requests(uuid, uuid, text, integer, boolean);
DROP TABLE rebuild_batch;
DROP FUNCTION rebuild_batch_runs();
-- It took a row of each table by type, and a shard's rows are of other types.
DROP FUNCTION request_differs(request_feed, request_summary);

-- Empty outside the transaction that rebuilds a batch.
CREATE TABLE rebuild_batch (
  -- Any buyer of the part, on record or not.
  buyer_id uuid NOT NULL,
  -- The request after which the batch begins; afterwards its last one.
  at_buyer_id uuid NOT NULL,
  at_request_id uuid NOT NULL,
  at_kind text NOT NULL,
  batch_size integer NOT NULL,
  is_all boolean NOT NULL,
  -- How many requests were rebuilt, none at the end of the part, and how many of them were stamped.
  rebuilt integer NOT NULL DEFAULT 0,
  stamped integer NOT NULL DEFAULT 0
);

CREATE FUNCTION rebuild_batch_runs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  batch_buyer_ids uuid[];
  batch_request_ids uuid[];
  batch_kinds text[];
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
BEGIN
  PERFORM assert_read_committed();
  -- Locked first, as by every writer that cleans: others of these requests follow, and are seen. The condition holds for
  -- what is locked: a row that another rebuild has done meanwhile is left out, and is neither done nor counted twice.
  SELECT array_agg(b.buyer_id), array_agg(b.request_id), array_agg(b.kind)
  INTO batch_buyer_ids, batch_request_ids, batch_kinds
  FROM (
    SELECT f.buyer_id, f.request_id, f.kind FROM request_feed f
    WHERE (f.buyer_id, f.request_id, f.kind) > (NEW.at_buyer_id, NEW.at_request_id, NEW.at_kind)
      AND (NEW.is_all OR f.rules_revision < rules_revision() OR f.requested_at IS NULL)
    ORDER BY f.buyer_id, f.request_id, f.kind LIMIT NEW.batch_size FOR UPDATE
  ) b;
  IF batch_kinds IS NULL THEN RETURN NEW; END IF;
  NEW.rebuilt := cardinality(batch_kinds);
  NEW.at_buyer_id := batch_buyer_ids[NEW.rebuilt];
  NEW.at_request_id := batch_request_ids[NEW.rebuilt];
  NEW.at_kind := batch_kinds[NEW.rebuilt];

  SELECT array_agg(n.buyer_id), array_agg(n.request_id) INTO buyer_ids, request_ids
  FROM (
    SELECT DISTINCT b.buyer_id, b.request_id FROM unnest(batch_buyer_ids, batch_request_ids) AS b (buyer_id, request_id)
    ORDER BY 1, 2
  ) n;
  -- Cleaning goes by the id, which a deal set and a single request may share: the batch need not have the other one.
  PERFORM FROM request_feed f
    JOIN unnest(buyer_ids, request_ids) AS n (buyer_id, request_id) ON n.buyer_id = f.buyer_id AND n.request_id = f.request_id
    ORDER BY f.buyer_id, f.request_id, f.kind FOR UPDATE OF f;
  -- Marks, by the tables' own triggers, the requests of which it changed anything.
  PERFORM clean_requests(buyer_ids, request_ids, NULL, '{}');

  SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
  FROM unnest(batch_buyer_ids, batch_request_ids, batch_kinds) AS b (buyer_id, request_id, kind)
  JOIN request_feed f ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
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
  FROM unnest(batch_buyer_ids, batch_request_ids, batch_kinds) AS b (buyer_id, request_id, kind)
  JOIN request_feed f ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
  JOIN request_summary r ON r.buyer_id = b.buyer_id AND r.request_id = b.request_id AND r.kind = b.kind
  WHERE f.requested_at IS NOT NULL AND NOT f.needs_recompute AND
    (f.requested_at, f.is_active, f.has_ended, f.is_archived, f.has_finished, f.car_year, f.car_make,
     f.car_model, f.car_trim, f.car_names_dealership, f.written, f.waiting, f.different_car, f.ended,
     f.ended_with_price, f.closed_with_price, f.lowest_written_otd_cents, f.open_items, f.member_ids,
     f.chosen::text, f.hero_distance_miles, f.is_hero_seen, f.chosen_dealership_ids, f.dealership_id)
    IS DISTINCT FROM
    (r.requested_at, r.is_active, r.has_ended, r.is_archived, r.has_finished, r.car_year, r.car_make,
     r.car_model, r.car_trim, r.car_names_dealership, r.written, r.waiting, r.different_car, r.ended,
     r.ended_with_price, r.closed_with_price, r.lowest_written_otd_cents, r.open_items, r.member_ids,
     r.chosen::text, r.hero_distance_miles, r.is_hero_seen, r.chosen_dealership_ids, r.dealership_id);
  IF buyer_ids IS NOT NULL THEN PERFORM feed_mark(buyer_ids, request_ids, kinds); END IF;
  SELECT array_agg(f.buyer_id), array_agg(f.request_id), array_agg(f.kind) INTO buyer_ids, request_ids, kinds
  FROM unnest(batch_buyer_ids, batch_request_ids, batch_kinds) AS b (buyer_id, request_id, kind)
  JOIN request_feed f ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
  WHERE f.requested_at IS NULL AND NOT f.needs_recompute;
  IF buyer_ids IS NOT NULL THEN PERFORM request_recompute(buyer_ids, request_ids, kinds); END IF;

  SELECT count(*) INTO NEW.stamped
  FROM unnest(batch_buyer_ids, batch_request_ids, batch_kinds) AS b (buyer_id, request_id, kind)
  JOIN request_feed f ON f.buyer_id = b.buyer_id AND f.request_id = b.request_id AND f.kind = b.kind
  WHERE f.is_pending;
  -- Not left to the commit, in which a distributed database says less of what failed.
  PERFORM feed_stamp_all();
  RETURN NEW;
END $$;
CREATE TRIGGER rebuild_batch_runs BEFORE INSERT ON rebuild_batch FOR EACH ROW EXECUTE FUNCTION rebuild_batch_runs();

-- Rebuilds the next requests of a part after one, in the order of buyer and request: those of older rules, or all.
-- A request of which a client sees something else afterwards is stamped, so the caller commits at once. Returns
-- one row: how many were rebuilt, how many of them were stamped, and the last; no row at the end.
CREATE FUNCTION rebuild_requests(
  part_buyer_id uuid, after_buyer_id uuid, after_request_id uuid, after_kind text, batch_size integer, is_all boolean
) RETURNS TABLE (buyer_id uuid, request_id uuid, kind text, rebuilt integer, stamped integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO rebuild_batch AS b (buyer_id, at_buyer_id, at_request_id, at_kind, batch_size, is_all)
  VALUES (part_buyer_id, after_buyer_id, after_request_id, after_kind, rebuild_requests.batch_size, rebuild_requests.is_all)
  RETURNING b.at_buyer_id, b.at_request_id, b.at_kind, b.rebuilt, b.stamped
  INTO buyer_id, request_id, kind, rebuilt, stamped;
  DELETE FROM rebuild_batch b WHERE b.buyer_id = part_buyer_id;
  IF rebuilt > 0 THEN RETURN NEXT; END IF;
END $$;
REVOKE EXECUTE ON FUNCTION rebuild_requests(uuid, uuid, uuid, text, integer, boolean) FROM PUBLIC;

-- An order to stamp what the transaction has changed of the part that the row's buyer is in; stays empty. A load gives
-- it for each part: a wait for locks that ends too late then ends in a statement that can be tried again, not in the
-- commit.
CREATE TABLE stamp_order (buyer_id uuid NOT NULL);
CREATE FUNCTION run_stamp_order() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM request_feed f WHERE f.needs_recompute) THEN
    PERFORM feed_stamp_all();
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER run_stamp_order BEFORE INSERT ON stamp_order FOR EACH ROW EXECUTE FUNCTION run_stamp_order();

-- Reads a constant: a distributed engine refuses a statement that reads nothing.
CREATE OR REPLACE FUNCTION feed_refuses_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM request_feed LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'rows of % are deleted, not truncated', TG_TABLE_NAME
      USING ERRCODE = 'feature_not_supported', HINT = 'Use DELETE; or TRUNCATE buyer CASCADE, which empties everything.';
  END IF;
  RETURN NULL;
END $$;

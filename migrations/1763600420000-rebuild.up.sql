-- What `deal-sets rebuild` needs: which rules a request is shown by, and the function that rebuilds a batch.
--
-- Data: every existing request gets revision 0, by a column's default. Nothing that a client sees changes
-- here, and no request is stamped; where the rules of this version show a request otherwise, the rebuild
-- stamps it, in batches, while the service runs. The version before this one does not notice the column.

-- Raised with every version that shows stored data by other rules; what differs is decided below.
CREATE FUNCTION rules_revision() RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1::smallint $$;

-- The rules by which new requests are shown: those of this version from the moment a rebuild begins, which is
-- when the last instance of the version before is gone. What was read by the old rules until then is rebuilt.
CREATE TABLE rules_in_use (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision smallint NOT NULL
);
INSERT INTO rules_in_use (revision)
SELECT CASE WHEN EXISTS (SELECT FROM request_feed) THEN 0 ELSE rules_revision() END;

CREATE FUNCTION revision_in_use() RETURNS smallint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ SELECT revision FROM rules_in_use $$;
REVOKE EXECUTE ON FUNCTION revision_in_use() FROM PUBLIC;

-- Internal: no reading role may select it.
ALTER TABLE request_feed ADD COLUMN rules_revision smallint NOT NULL DEFAULT 0;
ALTER TABLE request_feed ALTER COLUMN rules_revision SET DEFAULT revision_in_use();

-- Of the given requests those that the rules of revision 1 show otherwise than those of revision 0, from the
-- stored data alone. Differences in fixed words and in the order of rows are no change of a request.
--
-- A deal set: the lowest price in writing also where no row is ranked; ready also when a dealership has
-- finished; nothing waits for the buyer once the set has ended; rows closed with a price count as such also
-- without a price in writing. A single request: ready once finished, with a price or without.
CREATE FUNCTION requests_shown_otherwise(buyer_ids uuid[], request_ids uuid[], kinds text[])
RETURNS TABLE (buyer_id uuid, request_id uuid, kind text)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT n.buyer_id, n.request_id, n.kind
  FROM unnest(buyer_ids, request_ids, kinds) AS n (buyer_id, request_id, kind)
  JOIN deal_set s ON s.buyer_id = n.buyer_id AND s.id = n.request_id
  CROSS JOIN LATERAL (
    SELECT
      count(*) FILTER (WHERE v.is_open AND v.is_same_car AND v.is_priced) AS written,
      count(*) FILTER (WHERE v.is_open AND v.is_same_car AND NOT v.is_priced) AS waiting,
      count(*) FILTER (WHERE v.is_priced) AS priced,
      count(*) FILTER (WHERE v.is_open AND p.finished_at IS NOT NULL) AS finished,
      count(*) FILTER (WHERE p.archived_at IS NULL AND p.ended = 'closed_with_price' AND NOT v.is_priced)
        AS closed_without_price,
      count(*) FILTER (WHERE v.is_open AND (
        EXISTS (SELECT FROM question q
          WHERE q.buyer_id = p.buyer_id AND q.request_id = p.request_id AND q.price_check_id = p.id
            AND q.answered_at IS NULL)
        OR EXISTS (SELECT FROM draft d
          WHERE d.buyer_id = p.buyer_id AND d.request_id = p.request_id AND d.price_check_id = p.id
            AND d.resolved_at IS NULL))) AS needing
    FROM price_check p
    CROSS JOIN LATERAL (SELECT
      p.archived_at IS NULL AND p.ended IS NULL AS is_open,
      p.answer IS DISTINCT FROM 'different_car' AS is_same_car,
      p.otd_cents IS NOT NULL AND p.written_at IS NOT NULL AS is_priced
    ) v
    WHERE p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
  ) g
  WHERE n.kind = 'deal_set' AND (
    (g.written = 0 AND g.priced > 0)
    OR (s.ended_at IS NULL AND g.finished > 0 AND NOT (g.written > 0 AND g.waiting = 0))
    OR (s.ended_at IS NOT NULL AND g.needing > 0)
    OR g.closed_without_price > 0)
  UNION ALL
  SELECT n.buyer_id, n.request_id, n.kind
  FROM unnest(buyer_ids, request_ids, kinds) AS n (buyer_id, request_id, kind)
  JOIN price_check p ON p.buyer_id = n.buyer_id AND p.id = n.request_id AND p.deal_set_id IS NULL
  WHERE n.kind = 'single' AND p.ended IS NULL AND p.archived_at IS NULL AND p.finished_at IS NOT NULL
    AND NOT (p.otd_cents IS NOT NULL AND p.written_at IS NOT NULL)
$$;

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
  DELETE FROM rebuild_batch b USING new_rows n
  WHERE b.buyer_id = n.buyer_id AND b.request_id = n.request_id AND b.kind = n.kind;
  RETURN NULL;
END $$;
CREATE TRIGGER rebuild_batch_runs AFTER INSERT ON rebuild_batch REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION rebuild_batch_runs();

-- Rebuilds the next requests after one, in the order of buyer and request: those of older rules, or all. A
-- request of which a client sees something else afterwards is stamped when the transaction commits. Returns
-- one row: how many were rebuilt, how many of them will be stamped, and the last; no row at the end.
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
      AND (is_all OR f.rules_revision < rules_revision())
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

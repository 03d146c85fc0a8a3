-- The read model: request_feed contains everything that the list shows of each request, so the list
-- reads finished rows in the order in which it returns them.
--
-- request_summary computes these values. The triggers and the rebuild store its result. The domain
-- counts and ranks the rows of one deal set by the same rules (`summaryOf` and `rank` in
-- src/deal-sets/domain/ranking.ts); property tests compare the two.
--
-- request_summary filters every table by the buyer, and on Citus its query is planned with the
-- buyer's id. A table that is filtered only through a join would be read from the shards of all
-- buyers, over additional connections (docs/scaling.md).
CREATE OR REPLACE FUNCTION deal_sets.request_summary(p_buyer_id uuid, p_request_ids uuid[]) RETURNS TABLE (
  buyer_id uuid, request_id uuid, kind text, requested_at timestamptz, is_active boolean, has_ended boolean,
  is_archived boolean, has_finished boolean, car_year integer, car_make text, car_model text, listed_trim text,
  written integer, waiting integer, different_car integer, ended integer, ended_with_price integer,
  closed_with_price integer, lowest_written_otd_cents bigint, needs_you integer, member_ids text, chosen json,
  lowest_written_distance_miles double precision, is_lowest_written_seen boolean, chosen_dealership_ids uuid[],
  dealership_id uuid
) LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
RETURN QUERY SELECT s.buyer_id, s.id, 'deal_set',
  s.created_at::timestamptz,
  s.ended_at IS NULL,
  s.ended_at IS NOT NULL,
  false,
  m.has_finished,
  s.car_year::integer, s.car_make::text, s.car_model::text, NULL,
  m.written, m.waiting, m.different_car, m.ended, m.ended_with_price, m.closed_with_price, m.lowest_written_otd_cents,
  -- An item waits for the buyer only while its deal set is active and its row is neither archived
  -- nor ended.
  CASE WHEN s.ended_at IS NULL THEN
    (SELECT count(*) FROM deal_sets.question i JOIN deal_sets.price_check o ON o.buyer_id = i.buyer_id AND o.id = i.price_check_id
      WHERE i.buyer_id = p_buyer_id AND o.buyer_id = p_buyer_id AND i.request_id = s.id AND i.answered_at IS NULL
        AND o.deal_set_id = s.id AND o.ended IS NULL AND o.archived_at IS NULL)
    + (SELECT count(*) FROM deal_sets.draft i JOIN deal_sets.price_check o ON o.buyer_id = i.buyer_id AND o.id = i.price_check_id
      WHERE i.buyer_id = p_buyer_id AND o.buyer_id = p_buyer_id AND i.request_id = s.id AND i.resolved_at IS NULL
        AND o.deal_set_id = s.id AND o.ended IS NULL AND o.archived_at IS NULL)
    ELSE 0 END::integer,
  m.member_ids, m.chosen, m.lowest_written_distance_miles, m.is_lowest_written_seen, m.chosen_dealership_ids, NULL::uuid
FROM deal_sets.deal_set s
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE v.list = 'written')::integer AS written,
    count(*) FILTER (WHERE v.list = 'waiting')::integer AS waiting,
    count(*) FILTER (WHERE v.list = 'different_car')::integer AS different_car,
    count(*) FILTER (WHERE v.list = 'ended')::integer AS ended,
    count(*) FILTER (
      WHERE v.list = 'ended' AND v.is_same_car AND r.is_written
    )::integer AS ended_with_price,
    count(*) FILTER (WHERE v.list = 'ended' AND v.is_same_car AND r.ended = 'closed_with_price')::integer
      AS closed_with_price,
    coalesce(bool_or(r.finished_at IS NOT NULL) FILTER (WHERE v.list IN ('written', 'waiting')), false) AS has_finished,
    coalesce(
      min(r.otd_cents) FILTER (WHERE v.list = 'written'),
      min(r.otd_cents) FILTER (WHERE v.list = 'ended' AND r.is_written AND v.is_same_car),
      min(r.otd_cents) FILTER (WHERE v.list = 'archived' AND r.is_written AND v.is_same_car)
    )::bigint AS lowest_written_otd_cents,
    string_agg(r.id::text, ',' ORDER BY r.id) AS member_ids,
    json_agg(json_build_object(
      'year', r.shown_year, 'model', r.shown_model, 'trim', r.shown_trim,
      'exteriorColor', r.shown_exterior_color, 'mileage', r.shown_mileage,
      'listedAtCents', r.shown_listed_at_cents, 'answer', r.answer
    ) ORDER BY r.id) FILTER (WHERE r.chosen_at IS NOT NULL) AS chosen,
    array_agg(r.dealership_id ORDER BY r.id) FILTER (WHERE r.chosen_at IS NOT NULL) AS chosen_dealership_ids,
    -- The same order as the domain's ranking, whose first row is the hero.
    (array_agg(r.distance_miles::double precision ORDER BY r.otd_cents, r.shown_trim COLLATE "C" NULLS LAST,
      date_trunc('milliseconds', r.written_at), r.id) FILTER (WHERE v.list = 'written'))[1]
      AS lowest_written_distance_miles,
    (array_agg(r.is_seen ORDER BY r.otd_cents, r.shown_trim COLLATE "C" NULLS LAST,
      date_trunc('milliseconds', r.written_at), r.id) FILTER (WHERE v.list = 'written'))[1] AS is_lowest_written_seen
  FROM deal_sets.price_check r
  CROSS JOIN LATERAL (SELECT
    -- The list of the result that contains the row.
    CASE WHEN r.archived_at IS NOT NULL THEN 'archived' ELSE r.state END AS list,
    r.answer IS DISTINCT FROM 'different_car' AS is_same_car
  ) v
  WHERE r.buyer_id = p_buyer_id AND r.request_id = s.id AND r.deal_set_id = s.id
) m
WHERE s.buyer_id = p_buyer_id AND s.id = ANY (p_request_ids)
UNION ALL
SELECT p.buyer_id, p.id, 'single'::text,
  p.requested_at::timestamptz,
  p.ended IS NULL AND p.archived_at IS NULL,
  p.ended IS NOT NULL,
  p.archived_at IS NOT NULL,
  p.finished_at IS NOT NULL AND p.answer IS DISTINCT FROM 'different_car',
  p.shown_year, p.shown_make, p.shown_model, p.shown_trim,
  NULL, NULL, NULL, NULL, NULL, NULL,
  CASE WHEN p.is_written AND p.answer IS DISTINCT FROM 'different_car' THEN p.otd_cents END::bigint,
  -- For a single request, only the questions count.
  CASE WHEN p.ended IS NULL AND p.archived_at IS NULL THEN
    (SELECT count(*) FROM deal_sets.question i
      WHERE i.buyer_id = p_buyer_id AND i.request_id = p.id AND i.price_check_id = p.id AND i.answered_at IS NULL)
    ELSE 0 END::integer,
  NULL, NULL, NULL, NULL, NULL,
  CASE WHEN p.is_seen THEN p.dealership_id END
FROM deal_sets.price_check p
WHERE p.buyer_id = p_buyer_id AND p.id = ANY (p_request_ids) AND p.deal_set_id IS NULL;
END $$;

-- Stores the summary and the stamp of the buyer's marked requests.
-- The caller locked the rows in an earlier statement, so these statements see every committed
-- change, and no other writer can add one. A request that no longer exists is removed from the
-- feed; the feed has no tombstones.
CREATE OR REPLACE FUNCTION deal_sets.recompute_requests(p_buyer_id uuid, p_request_ids uuid[], p_stamp timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  UPDATE deal_sets.request_feed f SET
    feed_at = p_stamp,
    is_marked = false,
    requested_at = r.requested_at,
    is_active = r.is_active,
    has_ended = r.has_ended,
    is_archived = r.is_archived,
    has_finished = r.has_finished,
    car_year = r.car_year,
    car_make = r.car_make,
    car_model = r.car_model,
    listed_trim = r.listed_trim,
    written = r.written,
    waiting = r.waiting,
    different_car = r.different_car,
    ended = r.ended,
    ended_with_price = r.ended_with_price,
    closed_with_price = r.closed_with_price,
    lowest_written_otd_cents = r.lowest_written_otd_cents,
    needs_you = r.needs_you,
    chosen = r.chosen,
    lowest_written_distance_miles = r.lowest_written_distance_miles,
    is_lowest_written_seen = r.is_lowest_written_seen,
    chosen_dealership_ids = r.chosen_dealership_ids,
    dealership_id = r.dealership_id,
    -- An equal value is assigned from the old row, so that a long list is not stored a second time.
    member_ids = CASE WHEN f.member_ids = r.member_ids THEN f.member_ids ELSE r.member_ids END
  FROM deal_sets.request_summary(p_buyer_id, p_request_ids) r
  WHERE f.buyer_id = p_buyer_id AND f.request_id = ANY (p_request_ids) AND f.is_marked
    AND r.request_id = f.request_id AND r.kind = f.kind;
  DELETE FROM deal_sets.request_feed f WHERE f.buyer_id = p_buyer_id AND f.request_id = ANY (p_request_ids) AND f.is_marked;
END $$;

-- Recomputes, by the current rules, everything that the triggers maintain for some of a buyer's
-- requests. A request that looks different to a client gets a new stamp at the commit. If a time is
-- given, so does every request whose stamp is not after it. An unknown time of the newest change
-- stays unknown. Returns how many requests were compared, and how many will be stamped.
CREATE OR REPLACE FUNCTION deal_sets.rebuild_requests(
  p_buyer_id uuid, p_request_ids uuid[], p_restamp_until timestamptz, OUT compared integer, OUT stamped integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
  request record;
  -- The requests whose time is unknown, with their kinds.
  of_unknown_time text[];
BEGIN
  -- Waits for open writers of these requests, so that the statements below see what they commit;
  -- later writers wait for this transaction.
  SELECT array_agg(f.request_id || f.kind) FILTER (WHERE NOT f.is_time_known) INTO of_unknown_time FROM (
    SELECT w.request_id, w.kind, w.is_time_known FROM deal_sets.request_feed w
    WHERE w.buyer_id = p_buyer_id AND w.request_id = ANY (p_request_ids)
    ORDER BY w.request_id, w.kind FOR UPDATE
  ) f;
  PERFORM deal_sets.withhold_parts(p_buyer_id, p_request_ids);
  -- Requests that it changed are already marked and will be computed at the commit.
  FOR request IN
    SELECT coalesce(f.request_id, r.request_id) AS id, coalesce(f.kind, r.kind) AS kind, r.kind IS NULL AS is_gone
    FROM (
      SELECT * FROM deal_sets.request_feed w WHERE w.buyer_id = p_buyer_id AND w.request_id = ANY (p_request_ids)
    ) f
    FULL JOIN deal_sets.request_summary(p_buyer_id, p_request_ids) r
      ON r.request_id = f.request_id AND r.kind = f.kind
    WHERE f.is_marked IS NOT TRUE
      AND (f.kind IS NULL OR r.kind IS NULL OR f.feed_at <= p_restamp_until OR to_jsonb(f) || to_jsonb(r) <> to_jsonb(f))
    ORDER BY 1, 2
  LOOP
    PERFORM deal_sets.feed_mark_request(p_buyer_id, request.id, request.kind, request.is_gone);
  END LOOP;
  UPDATE deal_sets.request_feed f SET is_time_known = false
  WHERE f.buyer_id = p_buyer_id AND f.request_id = ANY (p_request_ids) AND f.request_id || f.kind = ANY (of_unknown_time);
  SELECT count(*), count(*) FILTER (WHERE f.is_marked) INTO compared, stamped
  FROM deal_sets.request_feed f WHERE f.buyer_id = p_buyer_id AND f.request_id = ANY (p_request_ids);
END $$;

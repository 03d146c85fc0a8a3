-- The statement session_changed_since, written by `npm run statements:docs`.
SELECT feed.newest_ms AS "newestMs",
  floor(extract(epoch FROM entry.feed_at) * 1000)::bigint AS "lastFeedAtMs",
  coalesce(entry.feed_at < feed.newest_at, false) AS "hasMore",
  entry."id", entry."hasEnded", entry."hasFinished", entry."lowestWrittenOtdCents", entry."needsYou", entry."latestActivityAt", entry."kind", entry."year", entry."make", entry."model", entry."trim", entry."isArchived", entry."dealershipName", entry."exteriorColor", entry."interiorColor", entry."drivetrain", entry."powertrain", entry."buyerZip", entry."dealersFound", entry."written", entry."waiting", entry."differentCar", entry."ended", entry."endedWithPrice", entry."closedWithPrice", entry."lowestWrittenDistanceMiles", entry."isLowestWrittenSeen", entry."chosen", entry."chosenNames", entry."memberIds"
FROM (
  SELECT max(f.feed_at) AS newest_at, floor(extract(epoch FROM max(f.feed_at)) * 1000)::bigint AS newest_ms
  FROM deal_sets.request_feed f WHERE f.buyer_id = $1
) feed
LEFT JOIN LATERAL (
  SELECT r.feed_at,
  r.request_id AS "id",
  r.has_ended AS "hasEnded",
  r.has_finished AS "hasFinished",
  r.lowest_written_otd_cents AS "lowestWrittenOtdCents",
  r.needs_you AS "needsYou",
  CASE WHEN r.is_time_known THEN r.feed_at END AS "latestActivityAt",
  r.kind AS "kind",
  r.car_year AS "year",
  r.car_make AS "make",
  r.car_model AS "model",
  coalesce(r.listed_trim, requested.trim) AS "trim",
  r.is_archived AS "isArchived",
  CASE WHEN r.dealership_id IS NOT NULL THEN (
    SELECT d.name FROM deal_sets.dealership d WHERE d.id = r.dealership_id) END AS "dealershipName",
  requested."exteriorColor" AS "exteriorColor",
  requested."interiorColor" AS "interiorColor",
  requested."drivetrain" AS "drivetrain",
  requested."powertrain" AS "powertrain",
  requested."buyerZip" AS "buyerZip",
  requested."dealersFound" AS "dealersFound",
  r.written AS "written",
  r.waiting AS "waiting",
  r.different_car AS "differentCar",
  r.ended AS "ended",
  r.ended_with_price AS "endedWithPrice",
  r.closed_with_price AS "closedWithPrice",
  r.lowest_written_distance_miles AS "lowestWrittenDistanceMiles",
  r.is_lowest_written_seen AS "isLowestWrittenSeen",
  r.chosen AS "chosen",
  CASE WHEN r.chosen_dealership_ids IS NOT NULL THEN (
    SELECT json_agg((SELECT d.name FROM deal_sets.dealership d WHERE d.id = c.id) ORDER BY c.place)
    FROM unnest(r.chosen_dealership_ids) WITH ORDINALITY AS c (id, place)) END AS "chosenNames",
  r.member_ids AS "memberIds"
  FROM deal_sets.request_feed r
  LEFT JOIN LATERAL (
    SELECT s.car_trim AS "trim",
  s.car_exterior_color AS "exteriorColor",
  s.car_interior_color AS "interiorColor",
  s.car_drivetrain AS "drivetrain",
  s.car_powertrain AS "powertrain",
  s.buyer_zip AS "buyerZip",
  s.dealers_found AS "dealersFound"
    FROM deal_sets.deal_set s
    WHERE s.buyer_id = $1 AND s.id = CASE WHEN r.kind = 'deal_set' THEN r.request_id END LIMIT 1
  ) requested ON true
  WHERE r.buyer_id = $1 AND r.feed_at > to_timestamp($2::bigint / 1000.0)
  ORDER BY r.feed_at FETCH FIRST (SELECT $3::bigint) ROWS WITH TIES
) entry ON true
ORDER BY entry.feed_at, entry.kind, entry.id;

-- The statement assistant_changed_since, written by `npm run statements:docs`.
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
  r.listed_trim AS "trim",
  r.is_archived AS "isArchived",
  NULL::text AS "dealershipName",
  NULL::text AS "exteriorColor",
  NULL::text AS "interiorColor",
  NULL::text AS "drivetrain",
  NULL::text AS "powertrain",
  NULL::text AS "buyerZip",
  NULL::integer AS "dealersFound",
  r.written AS "written",
  r.waiting AS "waiting",
  r.different_car AS "differentCar",
  r.ended AS "ended",
  r.ended_with_price AS "endedWithPrice",
  r.closed_with_price AS "closedWithPrice",
  NULL::double precision AS "lowestWrittenDistanceMiles",
  NULL::boolean AS "isLowestWrittenSeen",
  r.chosen AS "chosen",
  NULL::json AS "chosenNames",
  r.member_ids AS "memberIds"
  FROM deal_sets.request_feed r

  WHERE r.buyer_id = $1 AND r.feed_at > to_timestamp($2::bigint / 1000.0)
  ORDER BY r.feed_at FETCH FIRST (SELECT $3::bigint) ROWS WITH TIES
) entry ON true
ORDER BY entry.feed_at, entry.kind, entry.id;

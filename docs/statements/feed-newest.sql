-- The statement feed_newest, written by `npm run statements:docs`.
SELECT floor(extract(epoch FROM feed.newest_at) * 1000)::bigint AS "newestMs",
  floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS "readAtMs",
  coalesce(feed.newest_at > to_timestamp($2::bigint / 1000.0), false) AS "isAfterSince"
FROM (SELECT max(f.feed_at) AS newest_at FROM deal_sets.request_feed f WHERE f.buyer_id = $1) feed;

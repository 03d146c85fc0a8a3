-- The statement feed_probe, written by `npm run statements:docs`.
SELECT
  pg_try_advisory_xact_lock_shared(deal_sets.feed_bucket_key(b.id))
    AND NOT pg_is_in_recovery() AS "isQuiet",
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
FROM deal_sets.buyer b WHERE b.id = $1;

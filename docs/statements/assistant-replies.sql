-- The statement assistant_replies, written by `npm run statements:docs`.
SELECT r.kind, r.request_id AS id, replies.count, replies.latest_at AS "latestAt"
FROM unnest($4::text[], $5::uuid[]) AS r (kind, request_id)
CROSS JOIN LATERAL (
  SELECT count(*) AS count, max(m.feed_at) AS latest_at
  FROM (
    SELECT n.price_check_id, n.feed_at
    FROM deal_sets.reply n
    WHERE n.buyer_id = $1 AND n.request_id = r.request_id
      AND n.feed_at > to_timestamp($2::bigint / 1000.0)
      AND n.feed_at <= to_timestamp($3::bigint / 1000.0)
    ORDER BY n.feed_at
  ) m
  WHERE CASE WHEN r.kind = 'single' THEN m.price_check_id = r.request_id
    ELSE m.price_check_id <> r.request_id OR EXISTS (
      SELECT 1 FROM deal_sets.price_check p
      WHERE p.buyer_id = $1 AND p.id = m.price_check_id AND p.deal_set_id IS NOT NULL) END
) replies
WHERE replies.count > 0;

-- No read uses a reply's receipt time any more, so the index by which a poll finds the replies of a
-- request contains only their stamps and price checks.
CREATE INDEX IF NOT EXISTS reply_readable ON reply (buyer_id, request_id, feed_at) INCLUDE (price_check_id);
DROP INDEX IF EXISTS reply_by_stamp;

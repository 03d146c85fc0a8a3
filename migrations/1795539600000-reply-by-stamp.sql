-- Lets a poll read a reply's receipt time and stamp from the index alone.
CREATE INDEX IF NOT EXISTS reply_by_stamp ON reply (buyer_id, request_id, feed_at)
  INCLUDE (price_check_id, received_at);
DROP INDEX IF EXISTS reply_readable;

DO $$
DECLARE
  t record;
BEGIN
  FOR t IN
    SELECT tgrelid::regclass AS tab, tgname FROM pg_trigger
    WHERE NOT tgisinternal AND (tgname ~ '^t[1-4]_' OR tgname IN ('price_check_takes_listing', 'dealership_changed'))
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.tab);
  END LOOP;
END $$;
DROP TABLE request_feed;
DROP FUNCTION dealership_changed(), price_check_cleans_listings(), assert_read_committed(), price_check_takes_listing(),
  feed_follow(), feed_follow_row(), feed_refuses_truncate(),
  feed_change(uuid[], uuid[], text[], boolean), feed_await_clock(timestamptz), feed_await_own_millisecond(),
  feed_mark(uuid[], uuid[], text[]), feed_stamp_all(), feed_lock_all(), feed_lock_buyer(uuid), feed_stamp(), feed_stamp_buyer(uuid),
  feed_lock_key(uuid), feed_lock_key();

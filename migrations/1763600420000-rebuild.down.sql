DROP FUNCTION rebuild_requests(uuid, uuid, text, integer, boolean);
DROP TABLE rebuild_batch;
DROP FUNCTION rebuild_batch_runs(), requests_shown_otherwise(uuid[], uuid[], text[]);
ALTER TABLE request_feed DROP COLUMN rules_revision;
DROP TABLE rules_in_use;
DROP FUNCTION revision_in_use(), rules_revision();

#!/usr/bin/env bash
# Tries the tables and the code of the service on Citus: a coordinator and two workers on loopback, ended with the
# script. What `deal-sets distribute` is to do starts from here (docs/decisions/0009).
#
#   PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config test/citus/tries.sh     (not as root; the extension is installed)
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$("${PG_CONFIG:?the pg_config of a PostgreSQL with the citus extension}" --bindir)
directory=$(mktemp -d)
ports=(55432 55433 55434)
stop() {
  for port in "${ports[@]}"; do "$bin/pg_ctl" -D "$directory/$port" -m immediate stop > /dev/null 2>&1 || true; done
  rm -rf "$directory"
}
trap stop EXIT
export PGHOST=$directory PGUSER=owner PGDATABASE=postgres
for port in "${ports[@]}"; do
  "$bin/initdb" -D "$directory/$port" -U owner --auth=trust > /dev/null
  cat >> "$directory/$port/postgresql.conf" <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = '$directory'
shared_preload_libraries = 'citus'
max_prepared_transactions = 100
fsync = off
wal_level = logical
citus.enable_unsafe_triggers = on
citus.allow_nested_distributed_execution = on
citus.max_background_task_executors_per_node = 1
CONF
  "$bin/pg_ctl" -D "$directory/$port" -l "$directory/$port.log" -w start > /dev/null
  PGPORT=$port "$bin/psql" -qc 'CREATE EXTENSION citus'
done
export PGPORT=${ports[0]}
sql() { "$bin/psql" -qAt -v ON_ERROR_STOP=1 "$@"; }
try() {
  echo "== $1"
  shift
  "$bin/psql" -qAt -v ON_ERROR_STOP=1 "$@" 2>&1 | sed 's/^/   /' || true
}
sql -c "SELECT citus_set_coordinator_host('127.0.0.1', ${ports[0]})" > /dev/null
for port in "${ports[@]:1}"; do sql -c "SELECT citus_add_node('127.0.0.1', $port)" > /dev/null; done

echo '== tables, distributed by the buyer'
sql -c 'CREATE SCHEMA deal_sets; CREATE TABLE schema_migration (name text)' -f migrations/1763600000000-baseline.sql
sql -c "INSERT INTO schema_code (baseline_hash) VALUES ('tries')"
sql > /dev/null <<'SQL'
SET client_min_messages = warning;
-- A key between a table that is distributed and one that is not yet is refused: they are made again afterwards.
CREATE TABLE foreign_key AS SELECT conrelid::regclass::text AS tab, conname, pg_get_constraintdef(oid) AS def
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace;
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', tab, conname) FROM foreign_key \gexec
SELECT create_reference_table('dealership');
SELECT create_reference_table('schema_code');
SELECT create_distributed_table('buyer', 'id');
SELECT create_distributed_table(t, 'buyer_id', colocate_with => 'buyer')
  FROM unnest(ARRAY['deal_set', 'assistant_grant', 'price_check', 'question', 'draft', 'reply', 'request_feed']) t;
SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', tab, conname, def) FROM foreign_key WHERE tab <> 'buyer_session' \gexec
SQL
try 'the code of sql/' -f sql/listings.sql -f sql/read-model.sql -f sql/feed.sql
# Citus plans no generic statement with parameters in a sub-select.
try 'plans are not forced to be generic' -c 'ALTER FUNCTION deal_sets.feed_stamp_buyer(uuid) RESET plan_cache_mode' \
  -c 'ALTER FUNCTION deal_sets.request_recompute(uuid, uuid[], timestamptz) RESET plan_cache_mode'
for table in dealership deal_set price_check question draft reply request_feed; do
  for trigger in $(sql -c "SELECT tgname FROM pg_trigger WHERE tgrelid = '$table'::regclass AND NOT tgisinternal AND tgname !~ 'truncate'"); do
    try "ENABLE ALWAYS $trigger on $table" -c "ALTER TABLE $table ENABLE ALWAYS TRIGGER \"$trigger\""
  done
done
id() { printf '00000000-0000-4000-8000-%012d' "$1"; }
anna=$(id 1)
try 'a request of one buyer in one transaction' <<SQL
BEGIN;
INSERT INTO buyer (id) VALUES ('$anna');
INSERT INTO dealership (id, name) VALUES ('$(id 2)', 'Lakeside Motors');
INSERT INTO deal_set (buyer_id, id, car_year, car_make, car_model, created_at) VALUES ('$anna', '$(id 3)', 2025, 'Honda', 'Civic', '2026-01-01Z');
INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
  VALUES ('$anna', '$(id 4)', '$(id 3)', '$(id 2)', '2026-01-01Z', 'EX Lakeside Motors');
INSERT INTO reply (buyer_id, id, price_check_id, received_at) VALUES ('$anna', '$(id 5)', '$(id 4)', '2026-01-01Z');
COMMIT;
SELECT 'stamped and computed:', feed_at > '2026-01-02Z', needs_recompute, waiting, member_ids FROM request_feed;
SELECT 'reply has the stamp:', r.feed_at = f.feed_at FROM reply r JOIN request_feed f ON f.buyer_id = r.buyer_id AND f.request_id = r.request_id;
SELECT 'trim that names its dealership:', shown_trim IS NULL FROM price_check;
SQL
try 'history mode: the place stays' <<SQL
CREATE TEMP TABLE before AS SELECT feed_at FROM request_feed;
BEGIN; SET LOCAL citus.propagate_set_commands TO 'local';
SELECT format('SET LOCAL deal_sets.history TO %L', history_key) FROM schema_code \gexec
UPDATE deal_set SET dealers_found = 3 WHERE buyer_id = '$anna'; COMMIT;
SELECT 'place stays:', f.feed_at = b.feed_at, f.needs_recompute FROM (SELECT feed_at, needs_recompute FROM request_feed) f, before b;
SQL
try 'a plain write after it moves' <<SQL
CREATE TEMP TABLE before AS SELECT feed_at FROM request_feed;
UPDATE deal_set SET dealers_found = 4 WHERE buyer_id = '$anna';
SELECT 'moved:', f.feed_at > b.feed_at FROM (SELECT feed_at FROM request_feed) f, before b;
SQL
try 'a renaming, and the second statement that follows it' <<SQL
BEGIN; UPDATE dealership SET name = 'Kestrel' WHERE id = '$(id 2)'; COMMIT;
SELECT 'trim after the renaming:', shown_trim FROM price_check;
SQL
try 'a commit over 3,000 buyers' <<SQL
\timing on
INSERT INTO buyer (id) SELECT ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid FROM generate_series(1, 3000) n;
BEGIN;
SET LOCAL citus.multi_shard_modify_mode TO 'sequential';
INSERT INTO price_check (buyer_id, id, dealership_id, requested_at)
  SELECT ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, ('00000000-0000-4000-9001-' || lpad(n::text, 12, '0'))::uuid,
    '$(id 2)', '2026-01-01Z' FROM generate_series(1, 3000) n;
COMMIT;
\timing off
SELECT 'marked still:', count(*) FILTER (WHERE needs_recompute), 'of', count(*) FROM request_feed;
SQL
try 'erase' -c "BEGIN" -c "DELETE FROM buyer WHERE id = '$anna'" -c 'COMMIT' -c "SELECT 'left:', count(*) FROM request_feed WHERE buyer_id = '$anna'"
try 'rebuild of a buyer' -c "SELECT * FROM deal_sets.rebuild_buyer('00000000-0000-4000-9000-000000000001')"
try 'roles and column grants' -f sql/roles.sql
try 'the probe, as a reading role' -c 'SET ROLE deal_sets_reader' -c "SELECT pg_try_advisory_xact_lock_shared(deal_sets.feed_lock_key()) FROM buyer b WHERE b.id = '00000000-0000-4000-9000-000000000001'"
try 'a move of shards' -c "SELECT citus_rebalance_start()" -c "SELECT citus_rebalance_wait()"

-- Every column that a reading role may select is granted by itself, so that a column added to any table is
-- withheld until a migration grants it; and only the login that migrates and imports may make temporary
-- tables. Data: nothing is filled, no request is stamped. The version before this one reads these columns
-- and no others.

-- A grant on the whole table goes with the grants on its columns: all of a table's are made anew.
REVOKE SELECT ON schema_migration, buyer, buyer_session, assistant_grant, deal_set, request_feed, question, draft, reply
  FROM deal_sets_reader;
REVOKE SELECT ON reply, request_feed FROM deal_sets_assistant;

GRANT SELECT (name) ON schema_migration TO deal_sets_reader;
GRANT SELECT (id, changes_granted) ON buyer TO deal_sets_reader;
GRANT SELECT (buyer_id, id, token_sha256, expires_at, revoked_at) ON buyer_session TO deal_sets_reader;
GRANT SELECT (buyer_id, id, client_id, scopes, is_hosted, granted_at, revoked_at)
  ON assistant_grant TO deal_sets_reader;
GRANT SELECT (
  buyer_id, id, car_year, car_make, car_model, car_trim, car_exterior_color, car_interior_color, car_drivetrain,
  car_powertrain, buyer_zip, radius_miles, dealers_found, created_at, ended_at
) ON deal_set TO deal_sets_reader;
GRANT SELECT (
  buyer_id, id, request_id, price_check_id, prompt_id, category, text, answer_mode, otd_cents, asked_at, answered_at
) ON question TO deal_sets_reader;
GRANT SELECT (buyer_id, id, request_id, price_check_id, body, created_at, resolved_at) ON draft TO deal_sets_reader;

GRANT SELECT (buyer_id, id, request_id, price_check_id, received_at, feed_at)
  ON reply TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (buyer_id, request_id, kind, feed_at, is_time_known)
  ON request_feed TO deal_sets_reader, deal_sets_assistant;

-- Only a database's owner can take this back; for any other login PostgreSQL warns and goes on.
DO $$
BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO CURRENT_USER', current_database());
END $$;

-- The two reading roles. Each can select exactly the columns that its responses use. Each
-- `deal-sets migrate` revokes all grants and grants them again, so a column that is not listed
-- here, or was added later, is withheld. Roles and memberships belong to the server and not to the
-- database: after a restore on another server, `migrate` creates them again.
DO $$
DECLARE
  reading text;
  granted text;
BEGIN
  FOREACH reading IN ARRAY ARRAY['deal_sets_reader', 'deal_sets_assistant'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reading) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', reading);
      -- A migration of another database on this server may be creating the role at the same time.
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
    -- The service's login switches to these roles. A superuser does not need the membership. From
    -- PostgreSQL 16 on, a user without superuser rights who creates a role becomes a member that
    -- may not switch to it, so the privilege SET is checked. Older versions do not have this
    -- privilege.
    IF NOT pg_has_role(current_user, reading, CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END)
    THEN EXECUTE format('GRANT %I TO CURRENT_USER', reading); END IF;
    -- These grants apply to the node that clients connect to. Citus cannot grant columns on its
    -- shards; sql/distribute.sql grants them. Without Citus the setting has no effect.
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA deal_sets FROM %I, PUBLIC', reading);
    PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA deal_sets FROM %I, PUBLIC', reading);
    EXECUTE format('GRANT USAGE ON SCHEMA deal_sets TO %I', reading);
    EXECUTE format('GRANT EXECUTE ON FUNCTION deal_sets.feed_bucket_key(uuid) TO %I', reading);
    -- A view that runs with its owner's privileges would give the role columns that it may not
    -- read.
    SELECT c.oid::regclass::text INTO granted FROM pg_class c
    WHERE c.relkind IN ('v', 'm') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      AND (c.relkind = 'm' OR NOT coalesce(c.reloptions && ARRAY['security_invoker=true', 'security_invoker=on'], false))
      AND has_any_column_privilege(reading, c.oid, 'SELECT')
      AND EXISTS (SELECT FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_class = c.oid
        JOIN pg_class t ON t.oid = d.refobjid AND t.relnamespace = 'deal_sets'::regnamespace AND t.relkind IN ('r', 'p')
        WHERE d.refobjid <> c.oid);
    IF granted IS NOT NULL THEN
      RAISE EXCEPTION 'the view % is readable by % with the rights of its owner', granted, reading
        USING HINT = 'Make it WITH (security_invoker = true), or revoke SELECT on it.';
    END IF;
  END LOOP;
END $$;

SET LOCAL citus.enable_ddl_propagation TO off;

-- The columns that both roles can read. They exclude dealership ids and names, distances, the text
-- of messages, and the buyer's ZIP code, search radius and detailed choice of car.
GRANT SELECT (id) ON deal_sets.buyer TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (buyer_id, id, car_year, car_make, car_model, ended_at)
  ON deal_sets.deal_set TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (
  buyer_id, id, deal_set_id, request_id, shown_year, shown_make, shown_model, shown_trim,
  shown_exterior_color, shown_mileage, shown_listed_at_cents, shown_verified_partner,
  answer, otd_cents, selling_price_cents, written_at, ended,
  unlocked_at, chosen_at, archived_at, is_seen, is_written, state
) ON deal_sets.price_check TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (
  buyer_id, id, request_id, price_check_id, prompt_id, category, answer_mode, otd_cents, asked_at, answered_at
) ON deal_sets.question TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (buyer_id, id, request_id, price_check_id, created_at, resolved_at)
  ON deal_sets.draft TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (buyer_id, id, request_id, price_check_id, feed_at)
  ON deal_sets.reply TO deal_sets_reader, deal_sets_assistant;
GRANT SELECT (
  buyer_id, request_id, kind, feed_at, is_time_known, requested_at, is_active, has_ended, is_archived, has_finished,
  car_year, car_make, car_model, listed_trim, written, waiting, different_car, ended, ended_with_price,
  closed_with_price, lowest_written_otd_cents, needs_you, member_ids, chosen
) ON deal_sets.request_feed TO deal_sets_reader, deal_sets_assistant;

-- The further columns of deal_sets_reader: for sign-in, for readiness, and for reads with the
-- buyer's own session.
GRANT SELECT (name) ON deal_sets.schema_migration TO deal_sets_reader;
GRANT SELECT (number, needs_rebuild) ON deal_sets.schema_code TO deal_sets_reader;
GRANT SELECT (changes_granted) ON deal_sets.buyer TO deal_sets_reader;
GRANT SELECT (buyer_id, id, token_sha256, expires_at, revoked_at) ON deal_sets.buyer_session TO deal_sets_reader;
GRANT SELECT (buyer_id, id, client_id, scopes, is_hosted, granted_at, expires_at, revoked_at)
  ON deal_sets.assistant_grant TO deal_sets_reader;
GRANT SELECT (id, name) ON deal_sets.dealership TO deal_sets_reader;
GRANT SELECT (
  car_trim, car_exterior_color, car_interior_color, car_drivetrain, car_powertrain, buyer_zip, radius_miles, dealers_found
) ON deal_sets.deal_set TO deal_sets_reader;
GRANT SELECT (dealership_id, distance_miles) ON deal_sets.price_check TO deal_sets_reader;
GRANT SELECT (text, text_while_hidden) ON deal_sets.question TO deal_sets_reader;
GRANT SELECT (body, body_while_hidden) ON deal_sets.draft TO deal_sets_reader;
GRANT SELECT (lowest_written_distance_miles, is_lowest_written_seen, chosen_dealership_ids, dealership_id)
  ON deal_sets.request_feed TO deal_sets_reader;

-- These settings are for setups in which the login is the reading role itself, for example behind a
-- connection pooler. src/database/session-settings.ts has the same list for all other connections,
-- and deploy/logins.sql copies it to the logins. A generic plan is forced because every read
-- selects one buyer by index, and planning costs more than such a read.
DO $$
DECLARE
  reading text;
  setting text[];
BEGIN
  FOREACH reading IN ARRAY ARRAY['deal_sets_reader', 'deal_sets_assistant'] LOOP
    FOREACH setting SLICE 1 IN ARRAY ARRAY[
      ['default_transaction_read_only', 'on'], ['statement_timeout', '8s'],
      ['idle_in_transaction_session_timeout', '10s'], ['plan_cache_mode', 'force_generic_plan'],
      ['TimeZone', 'UTC'], ['DateStyle', 'ISO'], ['extra_float_digits', '1'], ['bytea_output', 'hex'],
      ['standard_conforming_strings', 'on']
    ] LOOP
      CONTINUE WHEN EXISTS (SELECT FROM pg_roles r
        WHERE r.rolname = reading AND setting[1] || '=' || setting[2] = ANY (r.rolconfig));
      EXECUTE format('ALTER ROLE %I SET %I = %L', reading, setting[1], setting[2]);
    END LOOP;
  END LOOP;
  -- Only the login that migrates and imports may create temporary tables. Only the database's owner
  -- can revoke this from PUBLIC; for any other login PostgreSQL prints a warning and continues.
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO CURRENT_USER', current_database());
END $$;

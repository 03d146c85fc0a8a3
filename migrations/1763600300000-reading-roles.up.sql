-- Two roles read, each only the columns its answers are made of. A column that is added later is
-- withheld until a migration grants it.
--
-- Roles belong to the whole cluster: another database of it may have made them already, perhaps just now.
DO $$
DECLARE
  reading text;
BEGIN
  FOREACH reading IN ARRAY ARRAY['deal_sets_reader', 'deal_sets_assistant'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', reading);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    -- The service's login switches to these roles. A superuser needs no membership.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', reading);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', reading);
    -- For logins that are these roles themselves, behind a pooler say.
    EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', reading);
    EXECUTE format('ALTER ROLE %I SET statement_timeout = ''9s''', reading);
    EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''10s''', reading);
    EXECUTE format('ALTER ROLE %I SET timezone = ''UTC''', reading);
    -- All reads are of one buyer, by index: planning them anew for each buyer costs more than they do.
    EXECUTE format('ALTER ROLE %I SET plan_cache_mode = force_generic_plan', reading);
  END LOOP;
END $$;

-- The buyer's own session, and the sign-in of both.
GRANT SELECT ON schema_migration, buyer, buyer_session, assistant_grant, deal_set, request_feed
  TO deal_sets_reader;
GRANT SELECT (id, name) ON dealership TO deal_sets_reader;
GRANT SELECT (
  buyer_id, id, deal_set_id, request_id, dealership_id, shown_year, shown_make, shown_model, shown_trim,
  shown_exterior_color, shown_mileage, shown_listed_at_cents, shown_verified_partner, distance_miles,
  requested_at, answer, otd_cents, selling_price_cents, written_at, finished_at, ended, ended_at,
  unlocked_at, chosen_at, archived_at
) ON price_check TO deal_sets_reader;
GRANT SELECT ON question, draft, reply TO deal_sets_reader;

-- An assistant: nothing of a dealership, no distance, no words, nothing the buyer did not choose to share.
GRANT SELECT (buyer_id, id, car_year, car_make, car_model, created_at, ended_at)
  ON deal_set TO deal_sets_assistant;
GRANT SELECT (
  buyer_id, id, deal_set_id, request_id, shown_year, shown_make, shown_model, shown_trim,
  shown_exterior_color, shown_mileage, shown_listed_at_cents, shown_verified_partner,
  requested_at, answer, otd_cents, selling_price_cents, written_at, finished_at, ended, ended_at,
  unlocked_at, chosen_at, archived_at
) ON price_check TO deal_sets_assistant;
GRANT SELECT (
  buyer_id, id, request_id, price_check_id, prompt_id, category, answer_mode, otd_cents, asked_at, answered_at
) ON question TO deal_sets_assistant;
GRANT SELECT (buyer_id, id, request_id, price_check_id, created_at, resolved_at)
  ON draft TO deal_sets_assistant;
GRANT SELECT ON reply, request_feed TO deal_sets_assistant;

-- Functions that act with the owner's rights are for triggers and the owner alone.
REVOKE EXECUTE ON FUNCTION clean_listings(uuid[], uuid[]), feed_mark(uuid[], uuid[], text[]), feed_stamp_buyer(uuid),
  feed_stamp_all(), feed_lock_all() FROM PUBLIC;

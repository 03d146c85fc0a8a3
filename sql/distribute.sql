-- What a distributed database needs instead of the code in the other files. Every
-- `deal-sets migrate` executes this file last. It does nothing where no table is distributed.
DO $$
DECLARE
  is_distributed boolean := false;
  statement text;
  reading text;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = ''deal_sets.request_feed''::regclass)'
      INTO is_distributed;
  END IF;
  IF NOT is_distributed THEN RETURN; END IF;
  -- The grants of roles.sql apply to the coordinator alone; what follows applies to every node.
  SET LOCAL citus.enable_ddl_propagation TO on;

  -- A statement that is planned without the buyer's id goes to all shards over additional
  -- connections, so a custom plan is forced. Deadlock detection does not find two transactions that
  -- wait for each other on different nodes in the first phase of their commit, so the wait is
  -- limited and the writer repeats the transaction.
  ALTER FUNCTION deal_sets.feed_stamp_buyer(uuid) SET plan_cache_mode = force_custom_plan;
  ALTER FUNCTION deal_sets.request_summary(uuid, uuid[]) SET plan_cache_mode = force_custom_plan;
  ALTER FUNCTION deal_sets.recompute_requests(uuid, uuid[], timestamptz) SET plan_cache_mode = force_custom_plan;
  ALTER FUNCTION deal_sets.feed_stamp() SET lock_timeout = '10s';

  -- Citus cannot plan the SELECT without FROM that the upsert inserts elsewhere, because it
  -- mistakes the function's variables for parameters of another statement.
  CREATE OR REPLACE FUNCTION deal_sets.feed_mark_request(
    p_buyer_id uuid, p_request_id uuid, p_kind text, p_is_deletion boolean DEFAULT false
  ) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
  BEGIN
    IF p_is_deletion THEN
      PERFORM 1 FROM deal_sets.request_feed f
      WHERE f.buyer_id = p_buyer_id AND f.request_id = p_request_id AND f.kind = p_kind;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    INSERT INTO deal_sets.request_feed AS f (buyer_id, request_id, kind, feed_at, is_time_known, is_marked)
    VALUES (p_buyer_id, p_request_id, p_kind, '-infinity', true, true)
    ON CONFLICT (buyer_id, request_id, kind) DO UPDATE SET is_marked = true, is_time_known = true
    WHERE NOT (f.is_marked AND f.is_time_known);
  END $f$;

  -- SET CONSTRAINTS has no effect on the workers. This update writes each mark once more, which
  -- fires a trigger there that stamps at once.
  CREATE OR REPLACE FUNCTION deal_sets.feed_stamp_now() RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $f$
  BEGIN
    UPDATE deal_sets.request_feed SET is_marked = true WHERE is_marked;
  END $f$;
  CREATE OR REPLACE TRIGGER _900_stamp_now AFTER UPDATE OF is_marked ON deal_sets.request_feed FOR EACH ROW
    WHEN (OLD.is_marked AND NEW.is_marked) EXECUTE FUNCTION deal_sets.feed_stamp();

  -- Moves questions, drafts and replies with their price check, in place of ON UPDATE CASCADE.
  -- Citus rejects a statement that assigns the distribution column, so a price check keeps its
  -- buyer.
  CREATE OR REPLACE FUNCTION deal_sets.move_messages() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
  BEGIN
    UPDATE deal_sets.question m SET request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    UPDATE deal_sets.draft m SET request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    UPDATE deal_sets.reply m SET request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    RETURN NULL;
  END $f$;
  -- Runs before the foreign keys are checked: their triggers are named "RI_…".
  CREATE OR REPLACE TRIGGER "BEFORE_RI_move_messages" AFTER UPDATE ON deal_sets.price_check FOR EACH ROW
    WHEN ((OLD.request_id, OLD.id) IS DISTINCT FROM (NEW.request_id, NEW.id))
    EXECUTE FUNCTION deal_sets.move_messages();

  -- A trigger on a table that is on every node cannot change price checks. The writer that changes
  -- a dealership calls the function that renews them, in the same transaction. It changes the rows
  -- of all shards in one statement, without the order of all writers.
  DROP TRIGGER IF EXISTS _500_renew ON deal_sets.dealership;
  DROP TRIGGER IF EXISTS _500_renew_added ON deal_sets.dealership;
  CREATE OR REPLACE FUNCTION deal_sets.renew_price_checks(p_dealership_ids uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
  BEGIN
    UPDATE deal_sets.price_check p
    SET shown_make = (deal_sets.shown_parts(p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color, d.name)).make,
      shown_model = (deal_sets.shown_parts(p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color, d.name)).model,
      shown_trim = (deal_sets.shown_parts(p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color, d.name)).trim_level,
      shown_exterior_color = (deal_sets.shown_parts(p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color, d.name)).color,
      shown_verified_partner = coalesce(d.verified_partner, false)
    FROM deal_sets.dealership d
    WHERE p.dealership_id = ANY (p_dealership_ids) AND d.id = p.dealership_id;
  END $f$;

  -- A moving shard's rows already carry their stamps, and a trigger that always fires would delay
  -- the move.
  FOR statement IN
    SELECT format('ALTER TABLE %s ENABLE TRIGGER %I', t.tgrelid::regclass, t.tgname)
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE p.pronamespace = 'deal_sets'::regnamespace AND NOT t.tgisinternal AND t.tgenabled <> 'O'
    ORDER BY t.tgrelid::regclass::text, t.tgname
  LOOP EXECUTE statement; END LOOP;

  -- On shards, Citus can grant privileges on tables but not on columns. The reading roles therefore
  -- have their column privileges on the coordinator, which checks every statement. They reach the
  -- tables on the workers through a role that has no other members.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'deal_sets_shards') THEN CREATE ROLE deal_sets_shards NOLOGIN; END IF;
  -- A role's setting overrides that of the database, but its setting for this database overrides
  -- both.
  FOR reading IN
    SELECT r.rolname FROM pg_roles r WHERE 'plan_cache_mode=force_generic_plan' = ANY (r.rolconfig) AND NOT r.rolsuper
      AND (pg_has_role(r.oid, 'deal_sets_reader', 'MEMBER') OR pg_has_role(r.oid, 'deal_sets_assistant', 'MEMBER'))
  LOOP
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET plan_cache_mode = force_custom_plan', reading, current_database());
  END LOOP;
  GRANT USAGE ON SCHEMA deal_sets TO deal_sets_shards;
  GRANT SELECT ON deal_sets.buyer, deal_sets.dealership, deal_sets.assistant_grant, deal_sets.deal_set,
    deal_sets.price_check, deal_sets.question, deal_sets.draft, deal_sets.reply, deal_sets.request_feed TO deal_sets_shards;
  -- The coordinator reads a table that is on every node from its own shard, so the columns of the
  -- reading roles are granted on that shard as well.
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  FOR statement IN
    SELECT format('GRANT SELECT (%I) ON deal_sets.%I TO %I', c.column_name, s.table_name || '_' || s.shardid, c.grantee)
    FROM (SELECT t.relname AS table_name, d.shardid FROM pg_dist_shard d JOIN pg_class t ON t.oid = d.logicalrelid
      WHERE d.logicalrelid IN ('deal_sets.dealership'::regclass, 'deal_sets.schema_code'::regclass)) s
    JOIN information_schema.column_privileges c ON c.table_name = s.table_name AND c.table_schema = 'deal_sets'
    WHERE c.grantee IN ('deal_sets_reader', 'deal_sets_assistant') AND c.privilege_type = 'SELECT'
  LOOP EXECUTE statement; END LOOP;
  PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
END $$;

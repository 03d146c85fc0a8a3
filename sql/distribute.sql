-- Distributes a migrated database over the workers of a Citus cluster. `deal-sets distribute` first
-- applies the settings in docs/scaling.md to every node. It then runs this file on the coordinator,
-- in one transaction that can be repeated.
--
-- All rows of a buyer are in one shard. Dealerships and the row that records the SQL code's version
-- are on every node. Sessions, the hashes of erased buyers and the applied migrations stay on the
-- coordinator; a session is looked up without its buyer.
SET LOCAL citus.enable_unsafe_triggers TO on;
-- A foreign key to a table that is on every node allows only one connection per node.
SET LOCAL citus.multi_shard_modify_mode TO 'sequential';

DO $$
DECLARE
  distributed CONSTANT text[] := ARRAY['buyer', 'assistant_grant', 'deal_set', 'price_check', 'question', 'draft', 'reply',
    'request_feed'];
  foreign_keys CONSTANT text[] := ARRAY(
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY (distributed) ORDER BY 1);
  statement text;
  name text;
BEGIN
  IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'deal_sets.request_feed'::regclass) THEN RETURN; END IF;
  -- Citus rejects a foreign key while only one of its tables is distributed, so the keys are
  -- dropped here and created again below. The key of buyer_session is not created again: `erase`
  -- deletes the buyer's sessions itself.
  FOR statement IN
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
    FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY (distributed || 'buyer_session'::text)
  LOOP EXECUTE statement; END LOOP;
  -- The triggers would treat the copied rows as new changes. The code in sql/ creates them again.
  FOR statement IN
    SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND p.pronamespace = 'deal_sets'::regnamespace
  LOOP EXECUTE statement; END LOOP;
  PERFORM create_reference_table('deal_sets.dealership'), create_reference_table('deal_sets.schema_code');
  PERFORM create_distributed_table('deal_sets.buyer', 'id');
  FOREACH name IN ARRAY distributed LOOP
    CONTINUE WHEN name = 'buyer';
    PERFORM create_distributed_table(format('deal_sets.%I', name), 'buyer_id', colocate_with => 'deal_sets.buyer');
  END LOOP;
  FOREACH statement IN ARRAY foreign_keys LOOP EXECUTE statement; END LOOP;
  FOREACH name IN ARRAY distributed || ARRAY['dealership', 'schema_code'] LOOP
    PERFORM truncate_local_data_after_distributing_table(format('deal_sets.%I', name)::regclass);
  END LOOP;
END $$;

-- On shards, Citus can grant privileges on tables but not on columns. The reading roles therefore
-- have their column privileges on the coordinator, which checks every statement. They reach the
-- tables on the workers through a role that has no other members.
DO $$
DECLARE
  reading text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'deal_sets_shards') THEN CREATE ROLE deal_sets_shards NOLOGIN; END IF;
  -- A role's setting overrides that of the database, but its setting for this database overrides
  -- both.
  FOR reading IN
    SELECT r.rolname FROM pg_roles r WHERE 'plan_cache_mode=force_generic_plan' = ANY (r.rolconfig) AND NOT r.rolsuper
      AND (pg_has_role(r.oid, 'deal_sets_reader', 'MEMBER') OR pg_has_role(r.oid, 'deal_sets_assistant', 'MEMBER'))
  LOOP
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET plan_cache_mode = force_custom_plan', reading, current_database());
  END LOOP;
END $$;
GRANT SELECT ON deal_sets.buyer, deal_sets.dealership, deal_sets.assistant_grant, deal_sets.deal_set,
  deal_sets.price_check, deal_sets.question, deal_sets.draft, deal_sets.reply, deal_sets.request_feed TO deal_sets_shards;
-- The coordinator reads a table that is on every node from its own shard, so the columns of the
-- reading roles are granted on that shard as well.
DO $$
DECLARE
  statement text;
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  FOR statement IN
    SELECT format('GRANT SELECT (%I) ON deal_sets.%I TO %I', c.column_name, s.table_name || '_' || s.shardid, c.grantee)
    FROM (SELECT logicalrelid::regclass::text AS table_name, shardid FROM pg_dist_shard
      WHERE logicalrelid IN ('deal_sets.dealership'::regclass, 'deal_sets.schema_code'::regclass)) s
    JOIN information_schema.column_privileges c ON c.table_name = s.table_name AND c.table_schema = 'public'
    WHERE c.grantee IN ('deal_sets_reader', 'deal_sets_assistant') AND c.privilege_type = 'SELECT'
  LOOP EXECUTE statement; END LOOP;
  PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
END $$;

-- Distributes the tables of a migrated database over the workers of a Citus cluster.
-- `deal-sets distribute` first applies the settings in docs/scaling.md to every node. It then runs
-- this file on the coordinator, and after it sql/distribute.sql, in one transaction that can be
-- repeated.
--
-- All rows of a buyer are in one shard. Dealerships and the row that records the SQL code's version
-- are on every node. Sessions, the hashes of erased buyers and the applied migrations stay on the
-- coordinator; a session is looked up without its buyer.
SET LOCAL citus.enable_unsafe_triggers TO on;
-- A foreign key to a table that is on every node allows only one connection per node.
SET LOCAL citus.multi_shard_modify_mode TO 'sequential';

DO $$
DECLARE
  distributed CONSTANT text[] := ARRAY['deal_sets.buyer', 'deal_sets.assistant_grant', 'deal_sets.deal_set',
    'deal_sets.price_check', 'deal_sets.question', 'deal_sets.draft', 'deal_sets.reply', 'deal_sets.request_feed'];
  foreign_keys CONSTANT text[] := ARRAY(
    -- Citus rejects ON UPDATE CASCADE; a trigger of sql/distribute.sql replaces it.
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
      replace(pg_get_constraintdef(oid), ' ON UPDATE CASCADE', ''))
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
    FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY (distributed || 'deal_sets.buyer_session'::text)
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
    CONTINUE WHEN name = 'deal_sets.buyer';
    PERFORM create_distributed_table(name, 'buyer_id', colocate_with => 'deal_sets.buyer');
  END LOOP;
  FOREACH statement IN ARRAY foreign_keys LOOP EXECUTE statement; END LOOP;
  FOREACH name IN ARRAY distributed || ARRAY['deal_sets.dealership', 'deal_sets.schema_code'] LOOP
    PERFORM truncate_local_data_after_distributing_table(name::regclass);
  END LOOP;
END $$;


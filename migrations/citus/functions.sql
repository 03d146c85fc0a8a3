-- Functions of a distributed database, in place of those of the migrations or besides them; `deal-sets distribute`
-- applies this file on the coordinator, from where Citus takes them to every node.
--
-- A trigger runs on the worker that stores the row, on one shard of its table. The shards of all tables that hold the
-- same buyers are on one worker. Such a set has a schema of views there, named like the tables, each on its shard.
-- Trigger functions look names up in that schema first. So the functions of the migrations read and write
-- the shards as ordinary local tables, with the plans that they have on a single PostgreSQL.

-- The schema of the views that go with a shard, made when it is not complete (first use, or after a shard moved here).
CREATE OR REPLACE FUNCTION public.shard_views(shard_table text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  id bigint := substring(shard_table FROM '[0-9]+$');
  buyers_shard bigint;
  views text;
  part record;
  missing integer;
  propagation text := current_setting('citus.enable_ddl_propagation');
BEGIN
  SELECT b.shardid INTO buyers_shard FROM pg_dist_shard s
  JOIN pg_dist_shard b ON b.logicalrelid = 'public.buyer'::regclass AND b.shardminvalue = s.shardminvalue
  WHERE s.shardid = id;
  views := 'deal_sets_shard_' || coalesce(buyers_shard::text, 'reference');
  FOR attempt IN 1..2 LOOP
    SELECT count(*) INTO missing FROM pg_dist_shard s
    WHERE s.logicalrelid IN (SELECT p.logicalrelid FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
        WHERE c.relnamespace = 'public'::regnamespace)
      AND (s.shardminvalue IS NULL
        OR s.shardminvalue = (SELECT b.shardminvalue FROM pg_dist_shard b WHERE b.shardid = buyers_shard))
      AND to_regclass(format('%I.%I', views, (SELECT c.relname FROM pg_class c WHERE c.oid = s.logicalrelid))) IS NULL;
    EXIT WHEN missing = 0 AND (buyers_shard IS NULL OR to_regclass(views || '.request_summary') IS NOT NULL);
    -- Of two that find it incomplete one makes it; the other looks again.
    IF attempt = 1 THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('deal_sets.shard_views', 0));
      -- A session reads what others changed in the catalog when it locks a relation that it has no lock on. The
      -- next look would find what it found before, since it reads what the last one has locked.
      LOCK TABLE pg_catalog.pg_seclabel IN ACCESS SHARE MODE;
      CONTINUE;
    END IF;
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', views);
    FOR part IN
      SELECT c.relname AS name, c.relname || '_' || s.shardid AS shard
      FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid
      WHERE c.relnamespace = 'public'::regnamespace AND (s.shardminvalue IS NULL
        OR s.shardminvalue = (SELECT b.shardminvalue FROM pg_dist_shard b WHERE b.shardid = buyers_shard))
    LOOP
      EXECUTE format('CREATE OR REPLACE VIEW %I.%I AS SELECT * FROM public.%I', views, part.name, part.shard);
    END LOOP;
    IF buyers_shard IS NOT NULL THEN
      -- With only the catalog on the path, the definition names its tables with their schema.
      PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
      EXECUTE format('CREATE OR REPLACE VIEW %I.request_summary AS ', views)
        || replace(pg_get_viewdef('public.request_summary'::regclass), 'public.', views || '.');
      PERFORM set_config('search_path', 'public, pg_temp', true);
    END IF;
    PERFORM set_config('citus.enable_ddl_propagation', propagation, true);
  END LOOP;
  RETURN views;
END $$;

-- The first statement of every trigger function: names mean the shards that belong to the trigger's own.
CREATE OR REPLACE FUNCTION public.use_shard_views(shard_table text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  known_as text := 'deal_sets.views_of_' || shard_table;
  views text := nullif(current_setting(known_as, true), '');
BEGIN
  IF views IS NULL THEN
    views := public.shard_views(shard_table);
    PERFORM set_config(known_as, views, true);
  END IF;
  PERFORM set_config('search_path', views || ', public, pg_temp', true);
END $$;

-- The schema in use, null outside of triggers.
CREATE OR REPLACE FUNCTION public.shard_views_in_use() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT substring(current_setting('search_path') FROM '^"?(deal_sets_shard_[a-z0-9]+)') $$;

-- The schemas of all sets of shards on this node.
CREATE OR REPLACE FUNCTION public.local_shard_views() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT public.shard_views('buyer_' || s.shardid)
    FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
    WHERE s.logicalrelid = 'public.buyer'::regclass AND p.groupid = (SELECT l.groupid FROM pg_dist_local_group l)
    ORDER BY s.shardid;
END $$;
-- The views show the columns of their time: a migration takes them away, and the next writer makes them anew.
CREATE OR REPLACE FUNCTION public.drop_shard_views() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  views text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('deal_sets.shard_views', 0));
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  SET LOCAL client_min_messages = 'warning';
  FOR views IN SELECT n.nspname FROM pg_namespace n WHERE n.nspname LIKE 'deal\_sets\_shard\_%' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', views);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION public.shard_views(text), public.local_shard_views(), public.drop_shard_views() FROM PUBLIC;

-- One lock of all buyers for each set of shards: a transaction uses each set by one connection alone, so it
-- cannot wait for itself, as it could with one lock for the node.
CREATE OR REPLACE FUNCTION public.feed_lock_key() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT hashtextextended('feed of ' || public.shard_views_in_use(), 0) $$;
CREATE OR REPLACE FUNCTION public.feed_lock_key(buyer_table oid) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('feed of deal_sets_shard_' || substring(c.relname FROM '[0-9]+$'), 0)
  FROM pg_class c WHERE c.oid = buyer_table
$$;
-- A transaction that is prepared on one worker and waits on another for one that is prepared there and waits on the
-- first is found by no deadlock detection: so the wait for the feed's locks is limited.
CREATE OR REPLACE FUNCTION public.feed_lock_buyer(writer_buyer_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '10s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(public.feed_lock_key());
  PERFORM pg_advisory_xact_lock(public.feed_lock_key(writer_buyer_id));
END $$;
CREATE OR REPLACE FUNCTION public.feed_lock_all() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '10s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(public.feed_lock_key());
  PERFORM set_config('deal_sets.feed_writer', 'many', true);
END $$;

-- History mode belongs to one distributed transaction: its number is the setting's value, so that it means nothing
-- in any other, and SET LOCAL takes it to every connection that the transaction has or will have.
CREATE OR REPLACE FUNCTION public.feed_transaction() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT t.initiator_node_identifier || ':' || t.transaction_number || ':' || extract(epoch FROM t.transaction_stamp)
  FROM get_current_transaction_id() AS t (database_id, process_id, initiator_node_identifier, transaction_number, transaction_stamp)
  WHERE t.transaction_number > 0
$$;
CREATE OR REPLACE FUNCTION public.feed_is_history() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(nullif(current_setting('deal_sets.feed_history', true), '') = public.feed_transaction(), false)
$$;
CREATE OR REPLACE FUNCTION public.feed_enter_history() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Any statement on a distributed table gives the transaction its number.
  PERFORM FROM buyer LIMIT 1;
  IF public.feed_transaction() IS NULL THEN
    RAISE EXCEPTION 'history is loaded in a transaction' USING ERRCODE = 'no_active_sql_transaction', HINT = 'Begin one first.';
  END IF;
  SET LOCAL citus.propagate_set_commands = 'local';
  EXECUTE format('SET LOCAL deal_sets.feed_history = %L', public.feed_transaction());
END $$;
REVOKE EXECUTE ON FUNCTION public.feed_lock_buyer(uuid), public.feed_lock_all(), public.feed_is_history(), public.feed_enter_history() FROM PUBLIC;

-- Citus takes privileges on tables to the shards, but not privileges on columns. They are given here: to the table as
-- each worker knows it, to the shards that it has, and to each that is made later, as when one moves here.
CREATE OR REPLACE FUNCTION public.grant_on_shard(shard_table text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  known_as text := format('public.%I', regexp_replace(shard_table, '_[0-9]+$', ''));
  part record;
BEGIN
  FOR part IN
    SELECT pg_get_userbyid(g.grantee) AS role, string_agg(quote_ident(a.attname), ', ') AS columns
    FROM pg_attribute a CROSS JOIN LATERAL aclexplode(a.attacl) g
    WHERE a.attrelid = to_regclass(known_as) AND g.privilege_type = 'SELECT' AND NOT a.attisdropped
    GROUP BY 1
  LOOP
    EXECUTE format('REVOKE ALL ON public.%I FROM %I', shard_table, part.role);
    EXECUTE format('GRANT SELECT (%s) ON public.%I TO %I', part.columns, shard_table, part.role);
  END LOOP;
END $$;
-- Roles as a list of {"name", "settings"}, grants as a list of {"table", "role", "columns"}.
CREATE OR REPLACE FUNCTION public.take_over_grants(roles jsonb, grants jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  part record;
  setting text;
  propagation text := current_setting('citus.enable_ddl_propagation');
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  FOR part IN SELECT r.* FROM jsonb_to_recordset(roles) AS r (name text, settings text[]) LOOP
    IF NOT EXISTS (SELECT FROM pg_roles p WHERE p.rolname = part.name) THEN
      EXECUTE format('CREATE ROLE %I', part.name);
    END IF;
    EXECUTE format('ALTER ROLE %I LOGIN', part.name);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', part.name);
    FOREACH setting IN ARRAY coalesce(part.settings, '{}') LOOP
      EXECUTE format('ALTER ROLE %I SET %I = %L', part.name, split_part(setting, '=', 1),
        substring(setting FROM position('=' IN setting) + 1));
    END LOOP;
  END LOOP;
  FOR part IN SELECT g.* FROM jsonb_to_recordset(grants) AS g ("table" text, role text, columns text) LOOP
    EXECUTE format('REVOKE ALL ON public.%I FROM %I', part."table", part.role);
    EXECUTE format('GRANT SELECT (%s) ON public.%I TO %I', part.columns, part."table", part.role);
  END LOOP;
  PERFORM grant_on_shard(c.relname || '_' || s.shardid)
  FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid
  WHERE c.relnamespace = 'public'::regnamespace AND to_regclass(format('public.%I', c.relname || '_' || s.shardid)) IS NOT NULL;
  IF NOT EXISTS (SELECT FROM pg_event_trigger t WHERE t.evtname = 'deal_sets_new_shard') THEN
    CREATE EVENT TRIGGER deal_sets_new_shard ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
      EXECUTE FUNCTION grant_on_new_shard();
  END IF;
  PERFORM set_config('citus.enable_ddl_propagation', propagation, true);
END $$;
CREATE OR REPLACE FUNCTION public.grant_on_new_shard() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM grant_on_shard(c.relname) FROM pg_event_trigger_ddl_commands() t JOIN pg_class c ON c.oid = t.objid
  WHERE t.object_type = 'table' AND t.schema_name = 'public' AND c.relname ~ '_[0-9]+$';
END $$;
REVOKE EXECUTE ON FUNCTION public.grant_on_shard(text), public.take_over_grants(jsonb, jsonb) FROM PUBLIC;

-- Puts the triggers that refuse TRUNCATE on the tables as this node knows them, not on shards. Their names come
-- after that of the trigger by which Citus empties the shards, so that TRUNCATE buyer CASCADE may pass: then no request is left.
CREATE OR REPLACE FUNCTION public.refuse_truncate() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  watched text;
  propagation text := current_setting('citus.enable_ddl_propagation');
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  FOREACH watched IN ARRAY ARRAY['deal_set', 'price_check', 'question', 'draft', 'reply'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER z_feed_truncate AFTER TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION feed_refuses_truncate(%L)', watched, watched);
  END LOOP;
  PERFORM set_config('citus.enable_ddl_propagation', propagation, true);
END $$;
REVOKE EXECUTE ON FUNCTION public.refuse_truncate() FROM PUBLIC;

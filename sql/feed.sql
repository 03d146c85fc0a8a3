-- The feed has one row for each request, stamped with the time of the request's newest change. A
-- client polls by stamp alone, so a request must never become visible with a stamp that a client
-- has already passed.
--
-- To ensure this, each change to a request marks its feed row in the same transaction. The marked
-- rows are stamped when the transaction commits, under the lock of their buyer's bucket, which is
-- held until the commit is visible. A buyer's stamps therefore become visible in order, and a
-- reader that can take the lock has seen every earlier stamp.
--
-- Each statement filters by one buyer and qualifies its tables with their schema, so that the
-- functions depend on no search path and can run where the tables are partitioned by buyer.

-- Returns the key of the advisory lock of a buyer's bucket. A writer holds the lock in exclusive
-- mode from its stamp to its commit; a reader tries, without waiting, to take it in shared mode.
--
-- All buyers share 1,024 buckets, because a transaction of many thousand buyers would otherwise
-- exceed the server's lock table. A bucket consists of buyers with adjacent hashes, so that all of
-- its buyers are in one shard where rows are distributed by these hashes.
CREATE OR REPLACE FUNCTION deal_sets.feed_bucket_key(p_buyer_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 7305438106571842048 + ((uuid_hash(p_buyer_id)::bigint + 2147483648) >> 22)
$$;

-- Marks a request as changed by this transaction: the commit recomputes it and stamps it. The mark
-- locks the feed row until the commit, so a second writer of the request waits and then includes
-- the changes of the first. Because a mark writes the feed row, a second writer whose snapshot is
-- older than the first writer's commit fails (40001). Writers that change several requests have to
-- change them in the order of their ids, or to repeat the transaction after a deadlock (40P01).
--
-- A deletion creates no feed row. The row of a deleted request is removed at the commit, or
-- together with its buyer.
CREATE OR REPLACE FUNCTION deal_sets.feed_mark_request(
  p_buyer_id uuid, p_request_id uuid, p_kind text, p_is_deletion boolean DEFAULT false
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO deal_sets.request_feed AS f (buyer_id, request_id, kind, feed_at, is_time_known, is_marked)
  SELECT p_buyer_id, p_request_id, p_kind, '-infinity', true, true
  WHERE NOT p_is_deletion OR EXISTS (
    SELECT 1 FROM deal_sets.request_feed g
    WHERE g.buyer_id = p_buyer_id AND g.request_id = p_request_id AND g.kind = p_kind)
  ON CONFLICT (buyer_id, request_id, kind) DO UPDATE SET is_marked = true, is_time_known = true
  WHERE NOT (f.is_marked AND f.is_time_known);
END $$;

-- Returns the kind of the request that a price check belongs to. A deal set and a single request
-- can have the same id, but a price check belongs to only one of them.
CREATE OR REPLACE FUNCTION deal_sets.kind_of_request(p_buyer_id uuid, p_request_id uuid, p_price_check_id uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF p_request_id <> p_price_check_id THEN RETURN 'deal_set'; END IF;
  IF EXISTS (
    SELECT 1 FROM deal_sets.price_check p WHERE p.buyer_id = p_buyer_id AND p.id = p_price_check_id AND p.deal_set_id IS NOT NULL
  ) THEN RETURN 'deal_set'; END IF;
  RETURN 'single';
END $$;

CREATE OR REPLACE FUNCTION deal_sets.feed_mark_deal_set() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND (OLD.buyer_id, OLD.id) <> (NEW.buyer_id, NEW.id)) THEN
    PERFORM deal_sets.feed_mark_request(OLD.buyer_id, OLD.id, 'deal_set', true);
  END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.id, 'deal_set'); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION deal_sets.feed_mark_price_check() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- A price check that moves also changes the request that it leaves.
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND
    (OLD.buyer_id, OLD.id, OLD.deal_set_id) IS DISTINCT FROM (NEW.buyer_id, NEW.id, NEW.deal_set_id)) THEN
    PERFORM deal_sets.feed_mark_request(OLD.buyer_id, OLD.request_id,
      CASE WHEN OLD.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END, true);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.request_id,
      CASE WHEN NEW.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END);
  END IF;
  RETURN NULL;
END $$;

-- Marks the request of a question, a draft or a reply.
CREATE OR REPLACE FUNCTION deal_sets.feed_mark_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND
    (OLD.buyer_id, OLD.request_id, OLD.price_check_id) <> (NEW.buyer_id, NEW.request_id, NEW.price_check_id)) THEN
    PERFORM deal_sets.feed_mark_request(OLD.buyer_id, OLD.request_id,
      deal_sets.kind_of_request(OLD.buyer_id, OLD.request_id, OLD.price_check_id), true);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.request_id,
      deal_sets.kind_of_request(NEW.buyer_id, NEW.request_id, NEW.price_check_id));
  END IF;
  RETURN NULL;
END $$;

-- Sets the request of a question, a draft or a reply to that of its price check.
CREATE OR REPLACE FUNCTION deal_sets.set_message_request() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_request_id uuid;
BEGIN
  SELECT p.request_id INTO found_request_id
  FROM deal_sets.price_check p WHERE p.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id;
  NEW.request_id := coalesce(found_request_id, NEW.request_id);
  RETURN NEW;
END $$;

-- Keeps writers from changing the stamp of a reply. The commit writes it where it is null: for a
-- new reply, and for one that moves to a price check of another request or buyer, because it was
-- not readable there before. A reply that moves together with its price check keeps its stamp. A
-- reply's first stamp is that of its request, which the commit has stamped before. A stamped reply
-- accepts only an earlier stamp, which a loader of history writes.
CREATE OR REPLACE FUNCTION deal_sets.set_reply_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.buyer_id <> OLD.buyer_id
    OR (NEW.price_check_id <> OLD.price_check_id AND NEW.request_id <> OLD.request_id) THEN
    NEW.feed_at := NULL;
  ELSIF OLD.feed_at IS NULL AND NEW.feed_at IS NOT NULL THEN
    PERFORM 1 FROM deal_sets.request_feed f
    WHERE f.buyer_id = NEW.buyer_id AND f.request_id = NEW.request_id AND f.feed_at = NEW.feed_at AND NOT f.is_marked
      AND f.kind = deal_sets.kind_of_request(NEW.buyer_id, NEW.request_id, NEW.price_check_id);
    IF NOT FOUND THEN NEW.feed_at := NULL; END IF;
  ELSIF NEW.feed_at < OLD.feed_at IS NOT TRUE THEN
    NEW.feed_at := OLD.feed_at;
  END IF;
  RETURN NEW;
END $$;

-- Waits until the clock has passed the stamp, so that nothing becomes visible with a stamp in the
-- future. It does not wait if the clock has been set back by more than a second.
CREATE OR REPLACE FUNCTION deal_sets.feed_await_clock(p_after timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WHILE p_after - clock_timestamp() BETWEEN interval '0' AND interval '1 second' LOOP
    PERFORM pg_sleep(extract(epoch FROM p_after - clock_timestamp()) + 0.0001);
  END LOOP;
END $$;

-- Stamps and recomputes the buyer's requests that this transaction marked. The caller holds the
-- lock of the buyer's bucket. At READ COMMITTED, each statement takes its snapshot after the lock.
-- At most 100 requests share a stamp: a page of the feed is extended by all requests with the same
-- stamp as its last one, and has to stay small.
CREATE OR REPLACE FUNCTION deal_sets.feed_stamp_buyer(p_buyer_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- All look-ups are by key, so one plan per session is enough.
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  requests uuid[];
  newest timestamptz;
  stamp timestamptz;
BEGIN
  -- At REPEATABLE READ and SERIALIZABLE, the snapshot is older than the lock and may not contain
  -- the newest stamp. Waiting until the next millisecond ensures a later stamp.
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    PERFORM deal_sets.feed_await_clock(date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond');
  END IF;
  LOOP
    SELECT array_agg(n.request_id) INTO requests FROM (
      SELECT f.request_id FROM deal_sets.request_feed f
      WHERE f.buyer_id = p_buyer_id AND f.is_marked ORDER BY f.request_id LIMIT 100
    ) n;
    EXIT WHEN requests IS NULL;
    SELECT max(f.feed_at) INTO newest FROM deal_sets.request_feed f WHERE f.buyer_id = p_buyer_id;
    stamp := greatest(date_trunc('milliseconds', clock_timestamp()), newest + interval '1 millisecond');
    PERFORM deal_sets.recompute_requests(p_buyer_id, requests, stamp);
    UPDATE deal_sets.reply r SET feed_at = stamp
    WHERE r.buyer_id = p_buyer_id AND r.request_id = ANY (requests) AND r.feed_at IS NULL;
  END LOOP;
  PERFORM deal_sets.feed_await_clock(stamp);
END $$;

-- Runs when the transaction commits, once for each marked row; the first run for a buyer handles
-- all of the buyer's rows. The lock is taken here, when the transaction already holds every row
-- that it needs, because a transaction that waits for a row while it holds the lock could cause a
-- deadlock. Two transactions that take the locks of several buckets in opposite orders also end in
-- a deadlock, which one of them repeats.
CREATE OR REPLACE FUNCTION deal_sets.feed_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM 1 FROM deal_sets.request_feed f
  WHERE f.buyer_id = NEW.buyer_id AND f.request_id = NEW.request_id AND f.is_marked LIMIT 1;
  IF FOUND THEN
    PERFORM pg_advisory_xact_lock(deal_sets.feed_bucket_key(NEW.buyer_id));
    PERFORM deal_sets.feed_stamp_buyer(NEW.buyer_id);
  END IF;
  RETURN NULL;
END $$;

-- PostgreSQL cannot replace a constraint trigger, so it is created only where it is absent.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'deal_sets.request_feed'::regclass AND tgname = '_900_stamp') THEN
    CREATE CONSTRAINT TRIGGER _900_stamp AFTER INSERT OR UPDATE OF is_marked ON deal_sets.request_feed
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.is_marked)
      EXECUTE FUNCTION deal_sets.feed_stamp();
  END IF;
END $$;

-- Stamps now, and not at the commit, what this transaction has marked. The import calls it before
-- it gives history its times. From here on, other writers of the same buckets wait for the commit.
CREATE OR REPLACE FUNCTION deal_sets.feed_stamp_now() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SET CONSTRAINTS deal_sets._900_stamp IMMEDIATE;
END $$;

-- The triggers that mark a request. The condition of an update leaves out the columns that no
-- client can see, and compares only the presence of some times. A column that is added later is
-- therefore compared, and its changes move the request. Numbers with fractions are also compared by
-- themselves, because the setting extra_float_digits of a writer's session can shorten them in
-- JSON. Triggers of one event run in the order of their names.
CREATE OR REPLACE TRIGGER _900_mark AFTER INSERT OR DELETE ON deal_sets.deal_set
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_deal_set();
CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.deal_set FOR EACH ROW WHEN (
    (to_jsonb(OLD) - 'ended_at', OLD.ended_at IS NULL, OLD.radius_miles)
      IS DISTINCT FROM (to_jsonb(NEW) - 'ended_at', NEW.ended_at IS NULL, NEW.radius_miles)
  ) EXECUTE FUNCTION deal_sets.feed_mark_deal_set();

CREATE OR REPLACE TRIGGER _900_mark AFTER INSERT OR DELETE ON deal_sets.price_check
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_price_check();
-- A row that gets another dealership moves its request, although the dealership may be hidden:
-- parts of the listing and the partner status can change. A request does not move when its
-- dealership is renamed or becomes a partner: one stamp for the requests of all its rows would
-- reveal which rows belong to it.
CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.price_check FOR EACH ROW WHEN ((
    to_jsonb(OLD) - '{shown_verified_partner,finished_at,ended_at,unlocked_at,chosen_at,archived_at,listing_year,listing_make,listing_model,listing_trim,listing_exterior_color,listing_mileage,listing_listed_at_cents}'::text[],
    OLD.finished_at IS NULL, OLD.unlocked_at IS NULL, OLD.chosen_at IS NULL, OLD.archived_at IS NULL, OLD.distance_miles
  ) IS DISTINCT FROM (
    to_jsonb(NEW) - '{shown_verified_partner,finished_at,ended_at,unlocked_at,chosen_at,archived_at,listing_year,listing_make,listing_model,listing_trim,listing_exterior_color,listing_mileage,listing_listed_at_cents}'::text[],
    NEW.finished_at IS NULL, NEW.unlocked_at IS NULL, NEW.chosen_at IS NULL, NEW.archived_at IS NULL, NEW.distance_miles
  )) EXECUTE FUNCTION deal_sets.feed_mark_price_check();

CREATE OR REPLACE TRIGGER _100_set_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON deal_sets.question
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_message_request();
CREATE OR REPLACE TRIGGER _900_mark AFTER INSERT OR DELETE ON deal_sets.question
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.question FOR EACH ROW WHEN (
    (to_jsonb(OLD) - 'answered_at', OLD.answered_at IS NULL)
      IS DISTINCT FROM (to_jsonb(NEW) - 'answered_at', NEW.answered_at IS NULL)
  ) EXECUTE FUNCTION deal_sets.feed_mark_message();

CREATE OR REPLACE TRIGGER _100_set_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON deal_sets.draft
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_message_request();
CREATE OR REPLACE TRIGGER _900_mark AFTER INSERT OR DELETE ON deal_sets.draft
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.draft FOR EACH ROW WHEN (
    (to_jsonb(OLD) - 'resolved_at', OLD.resolved_at IS NULL)
      IS DISTINCT FROM (to_jsonb(NEW) - 'resolved_at', NEW.resolved_at IS NULL)
  ) EXECUTE FUNCTION deal_sets.feed_mark_message();

CREATE OR REPLACE TRIGGER _100_set_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON deal_sets.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_message_request();
-- Uses the request, which _100_set_request sets.
CREATE OR REPLACE TRIGGER _200_set_stamp BEFORE INSERT OR UPDATE ON deal_sets.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_reply_stamp();
CREATE OR REPLACE TRIGGER _900_mark AFTER INSERT OR DELETE ON deal_sets.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER _900_mark_update AFTER UPDATE ON deal_sets.reply FOR EACH ROW WHEN (
    to_jsonb(OLD) - 'feed_at' <> to_jsonb(NEW) - 'feed_at'
  ) EXECUTE FUNCTION deal_sets.feed_mark_message();

-- By default a trigger fires for local changes only, but rows that a logical replication applies
-- are decided, stamped and recomputed as well.
DO $$
DECLARE
  statement text;
BEGIN
  FOR statement IN
    SELECT format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.tgrelid::regclass, t.tgname)
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE p.pronamespace = 'deal_sets'::regnamespace AND NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgenabled <> 'A'
    ORDER BY t.tgrelid::regclass::text, t.tgname
  LOOP EXECUTE statement; END LOOP;
END $$;

-- The feed: one row for each request, placed at the time of its newest change. A client polls it by
-- that time alone, so the time must never lie: no request may ever become visible at a time that a
-- client has passed.
--
-- How that is kept. Each change of a request marks its feed row in the same transaction; when that
-- transaction commits, and not before, the marked rows are stamped under a lock of their buyer that
-- is held until the commit is visible. So a buyer's stamps become visible in the order of their
-- values, and a reader who can take the lock knows that nothing older is still to come.
--
-- Each statement names one buyer and its tables by schema, and no volatile function is inside an
-- UPDATE or INSERT: so the functions run on a distributed engine too
-- (docs/decisions/0009-distributed-database.md).

-- The advisory locks. A writer of one buyer takes that of her group shared and her own exclusive; a
-- writer of many buyers takes those of their groups exclusive, in order, and no other: some hundred
-- locks in place of thousands. Readers try both shared. A group is a part of what Citus distributes
-- by, the hash of the id, and so lies in one shard: of a transaction that writes by several
-- connections to one node, one alone takes its lock.
CREATE OR REPLACE FUNCTION deal_sets.feed_group(buyer_id uuid) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT ((uuid_hash(buyer_id)::bigint + 2147483648) >> 24)::integer $$;
CREATE OR REPLACE FUNCTION deal_sets.feed_group_key(feed_group integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7305438106571842048 + feed_group $$;
CREATE OR REPLACE FUNCTION deal_sets.feed_lock_key(buyer_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT hashtextextended('feed:' || buyer_id::text, 0) $$;

-- For a loader of history, in the transaction that loads it, before its first change: what it
-- changes stays where it is in the feed. It ends with the transaction, also one that is prepared,
-- and goes back with a savepoint. Only the owner may execute it; who just sets the setting does not
-- know the key.
CREATE OR REPLACE FUNCTION deal_sets.feed_enter_history() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key text := (SELECT c.history_key FROM public.schema_code c);
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    -- As a statement, which Citus takes along to the workers; set_config it does not.
    SET LOCAL citus.propagate_set_commands TO 'local';
    EXECUTE format('SET LOCAL deal_sets.history TO %L', key);
  ELSE
    -- Without the key in the text of a statement, which logs may hold.
    PERFORM set_config('deal_sets.history', key, true);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION deal_sets.feed_is_history() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given text := current_setting('deal_sets.history', true);
BEGIN
  IF given IS NULL OR given = '' THEN RETURN false; END IF;
  RETURN EXISTS (SELECT 1 FROM public.schema_code c WHERE c.history_key::text = given);
END $$;

-- Marks a request as changed by this transaction: to be computed, and to be stamped unless history
-- is loaded. The row's lock is held until the commit, so two writers of one request follow each
-- other, and the second computes with what the first wrote; a writer with an older snapshot than
-- that fails (40001), because a mark always writes. Writers that change several requests do so in
-- the order of their ids, or try again on 40P01.
--
-- Whose requests the transaction changes is kept in two local settings, which a rolled-back
-- savepoint takes back as it does the marks: "deal_sets.feed_buyer" is the buyer of the latest mark,
-- "deal_sets.feed_groups" lists the groups once there is more than one buyer, as numbers between
-- blanks: an array, parsed for each mark, would make marks a third more expensive. Only the choice
-- of locks depends on them. (docs/decisions/0003-feed.md says why this is no temporary table.)
CREATE OR REPLACE FUNCTION deal_sets.feed_mark_request(buyer uuid, request uuid, request_kind text, is_delete boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_live boolean := NOT deal_sets.feed_is_history();
  latest_buyer text := nullif(current_setting('deal_sets.feed_buyer', true), '');
  feed_groups text;
  feed_group text;
BEGIN
  IF latest_buyer IS DISTINCT FROM buyer::text THEN
    PERFORM set_config('deal_sets.feed_buyer', buyer::text, true);
  END IF;
  IF latest_buyer <> buyer::text THEN
    feed_groups := nullif(current_setting('deal_sets.feed_groups', true), '');
    feed_group := ' ' || deal_sets.feed_group(buyer) || ' ';
    IF feed_groups IS NULL THEN
      feed_groups := ' ' || deal_sets.feed_group(latest_buyer::uuid) || feed_group;
      PERFORM set_config('deal_sets.feed_groups', feed_groups, true);
    ELSIF strpos(feed_groups, feed_group) = 0 THEN
      PERFORM set_config('deal_sets.feed_groups', feed_groups || ltrim(feed_group), true);
    END IF;
  END IF;
  -- What is deleted makes no request: its own goes at the commit, or with its buyer.
  IF is_delete THEN
    UPDATE public.request_feed f
    SET is_pending = f.is_pending OR is_live, is_time_known = f.is_time_known OR is_live, needs_recompute = true
    WHERE f.buyer_id = buyer AND f.request_id = request AND f.kind = request_kind
      AND (NOT f.needs_recompute OR (is_live AND NOT (f.is_pending AND f.is_time_known)));
  ELSE
    INSERT INTO public.request_feed AS f (buyer_id, request_id, kind, feed_at, is_time_known, is_pending, needs_recompute)
    VALUES (buyer, request, request_kind, '-infinity', is_live, true, true)
    ON CONFLICT (buyer_id, request_id, kind) DO UPDATE
    SET is_pending = f.is_pending OR is_live, is_time_known = f.is_time_known OR is_live, needs_recompute = true
    WHERE NOT f.needs_recompute OR (is_live AND NOT (f.is_pending AND f.is_time_known));
  END IF;
END $$;

-- A deal set and a single request may have one id, but a price check is never in both.
CREATE OR REPLACE FUNCTION deal_sets.kind_of_request(buyer uuid, request uuid, price_check uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF request <> price_check THEN RETURN 'deal_set'; END IF;
  IF EXISTS (
    SELECT 1 FROM public.price_check p WHERE p.buyer_id = buyer AND p.id = price_check AND p.deal_set_id IS NOT NULL
  ) THEN RETURN 'deal_set'; END IF;
  RETURN 'single';
END $$;

CREATE OR REPLACE FUNCTION deal_sets.feed_mark_deal_set() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND (OLD.buyer_id, OLD.id) <> (NEW.buyer_id, NEW.id)) THEN
    PERFORM deal_sets.feed_mark_request(OLD.buyer_id, OLD.id, 'deal_set', true);
  END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.id, 'deal_set', false); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION deal_sets.feed_mark_price_check() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- One that moves changes the request it leaves, too.
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND
    (OLD.buyer_id, OLD.id, OLD.deal_set_id) IS DISTINCT FROM (NEW.buyer_id, NEW.id, NEW.deal_set_id)) THEN
    PERFORM deal_sets.feed_mark_request(OLD.buyer_id, OLD.request_id,
      CASE WHEN OLD.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END, true);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.request_id,
      CASE WHEN NEW.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END, false);
  END IF;
  RETURN NULL;
END $$;

-- Of a question, a draft or a reply.
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
      deal_sets.kind_of_request(NEW.buyer_id, NEW.request_id, NEW.price_check_id), false);
  END IF;
  RETURN NULL;
END $$;

-- Of a question's tokens. A rebuild replaces those of many questions that are not shown: their
-- requests stay.
CREATE OR REPLACE FUNCTION deal_sets.feed_mark_question_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Who shows the question meanwhile marks its request: that writer comes first and is seen below,
  -- or waits.
  PERFORM 1 FROM public.request_feed f
  WHERE f.buyer_id = NEW.buyer_id AND f.request_id = NEW.request_id ORDER BY f.kind FOR UPDATE;
  PERFORM 1 FROM public.price_check p JOIN public.deal_set s ON s.buyer_id = p.buyer_id AND s.id = p.deal_set_id
  WHERE p.buyer_id = NEW.buyer_id AND s.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id
    AND p.ended IS NULL AND p.archived_at IS NULL AND s.ended_at IS NULL;
  IF FOUND THEN PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.request_id, 'deal_set', false); END IF;
  RETURN NULL;
END $$;

-- A question, a draft or a reply has the request of its price check.
CREATE OR REPLACE FUNCTION deal_sets.set_message_request() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  request uuid;
BEGIN
  SELECT p.request_id INTO request
  FROM public.price_check p WHERE p.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id;
  NEW.request_id := coalesce(request, NEW.request_id);
  RETURN NEW;
END $$;

-- And goes along when that moves to another request. (On a distributed engine a key that cascades
-- is refused, and so is a statement that sets what rows are distributed by.)
CREATE OR REPLACE FUNCTION deal_sets.move_messages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.buyer_id = OLD.buyer_id THEN
    UPDATE public.question m SET request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    UPDATE public.draft m SET request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    UPDATE public.reply m SET request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
  ELSE
    UPDATE public.question m SET buyer_id = NEW.buyer_id, request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    UPDATE public.draft m SET buyer_id = NEW.buyer_id, request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
    UPDATE public.reply m SET buyer_id = NEW.buyer_id, request_id = NEW.request_id, price_check_id = NEW.id
    WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
  END IF;
  RETURN NULL;
END $$;

-- Only the commit writes a reply's stamp. It is new where it was not readable before: when it is
-- inserted, and when it goes to a price check of another request or to another buyer. One that a
-- moving price check takes along was readable and keeps its stamp. A reply of history became
-- readable when the loader says, else when it was received, or now if that is to come.
CREATE OR REPLACE FUNCTION deal_sets.set_reply_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.feed_at := CASE WHEN deal_sets.feed_is_history()
      THEN least(date_trunc('milliseconds', coalesce(NEW.feed_at, NEW.received_at)),
        date_trunc('milliseconds', clock_timestamp())) END;
  ELSIF NEW.buyer_id <> OLD.buyer_id
    OR (NEW.price_check_id <> OLD.price_check_id AND NEW.request_id <> OLD.request_id) THEN
    NEW.feed_at := CASE WHEN deal_sets.feed_is_history() THEN OLD.feed_at END;
  ELSIF OLD.feed_at IS NOT NULL OR pg_trigger_depth() = 1 THEN
    NEW.feed_at := OLD.feed_at;
  END IF;
  RETURN NEW;
END $$;

-- What becomes visible never lies ahead of the clock. A clock that was set back far is not waited
-- for.
CREATE OR REPLACE FUNCTION deal_sets.feed_await_clock(after timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WHILE after - clock_timestamp() BETWEEN interval '0' AND interval '1 second' LOOP
    PERFORM pg_sleep(extract(epoch FROM after - clock_timestamp()) + 0.0001);
  END LOOP;
END $$;

-- Stamps and computes what this transaction marked of a buyer. The caller holds the lock; each
-- statement here has a younger snapshot. Requests of one transaction share a stamp, some 100 at
-- most: a page that ends in ties stays small.
CREATE OR REPLACE FUNCTION deal_sets.feed_stamp_buyer(buyer uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- All look-ups are by key: planned once for a session, not anew for each commit.
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  requests uuid[];
  newest timestamptz;
  stamp timestamptz;
BEGIN
  -- A snapshot older than the lock may miss the newest stamp: then a millisecond of one's own takes
  -- its place.
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    PERFORM deal_sets.feed_await_clock(date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond');
  END IF;
  LOOP
    SELECT array_agg(n.request_id) INTO requests FROM (
      SELECT f.request_id FROM public.request_feed f
      WHERE f.buyer_id = buyer AND f.needs_recompute ORDER BY f.request_id LIMIT 100
    ) n;
    EXIT WHEN requests IS NULL;
    SELECT max(f.feed_at) INTO newest FROM public.request_feed f WHERE f.buyer_id = buyer;
    stamp := greatest(date_trunc('milliseconds', clock_timestamp()), newest + interval '1 millisecond');
    PERFORM deal_sets.recompute_requests(buyer, requests, stamp);
    UPDATE public.reply r SET feed_at = stamp
    WHERE r.buyer_id = buyer AND r.request_id = ANY (requests) AND r.feed_at IS NULL;
  END LOOP;
  PERFORM deal_sets.feed_await_clock(stamp);
END $$;

-- Marks up to 25 of a buyer's requests whose stamp is not after a time, oldest stamp first. The
-- commit stamps them as if they had changed. Returns how many were marked. A request whose time of
-- change is unknown keeps it unknown.
--
-- The requests of one transaction share a stamp. With at most 25 of them a page that ends in ties
-- stays small, and the order of the feed is kept, except among those 25.
CREATE OR REPLACE FUNCTION deal_sets.restamp_batch(buyer uuid, until timestamptz, OUT marked integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  requests uuid[];
  request record;
BEGIN
  marked := 0;
  SELECT array_agg(o.request_id) INTO requests FROM (
    SELECT f.request_id FROM public.request_feed f
    WHERE f.buyer_id = buyer AND f.feed_at <= until
    ORDER BY f.feed_at, f.request_id, f.kind LIMIT 25
  ) o;
  -- In the order in which every writer locks them. Where a writer had locked one of them, it has
  -- stamped it by then, and the next statement leaves it out.
  PERFORM 1 FROM public.request_feed f
  WHERE f.buyer_id = buyer AND f.request_id = ANY (requests)
  ORDER BY f.request_id, f.kind FOR UPDATE;
  FOR request IN
    SELECT f.request_id AS id, f.kind, f.is_time_known FROM public.request_feed f
    WHERE f.buyer_id = buyer AND f.request_id = ANY (requests) AND f.feed_at <= until
    ORDER BY f.request_id, f.kind
  LOOP
    PERFORM deal_sets.feed_mark_request(buyer, request.id, request.kind, false);
    IF NOT request.is_time_known THEN
      UPDATE public.request_feed f SET is_time_known = false
      WHERE f.buyer_id = buyer AND f.request_id = request.id AND f.kind = request.kind;
    END IF;
    marked := marked + 1;
  END LOOP;
END $$;

-- Runs when the transaction commits, once for each marked row; the first of a buyer serves all of
-- hers. The locks of groups are taken when the transaction holds every row it needs: one that
-- waited for a row with such a lock in hand could deadlock. What is locked already is kept beside,
-- so that it is done once and not for each buyer.
CREATE OR REPLACE FUNCTION deal_sets.feed_stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  feed_groups text := nullif(current_setting('deal_sets.feed_groups', true), '');
  feed_group integer;
BEGIN
  PERFORM 1 FROM public.request_feed f
  WHERE f.buyer_id = NEW.buyer_id AND f.request_id = NEW.request_id AND f.needs_recompute LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF feed_groups IS NOT NULL THEN
    IF feed_groups IS DISTINCT FROM current_setting('deal_sets.feed_locked', true) THEN
      FOR feed_group IN
        SELECT g::integer FROM unnest(string_to_array(btrim(feed_groups), ' ')) g ORDER BY g::integer
      LOOP
        PERFORM pg_advisory_xact_lock(deal_sets.feed_group_key(feed_group));
      END LOOP;
      PERFORM set_config('deal_sets.feed_locked', feed_groups, true);
    END IF;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(deal_sets.feed_group_key(deal_sets.feed_group(NEW.buyer_id)));
    PERFORM pg_advisory_xact_lock(deal_sets.feed_lock_key(NEW.buyer_id));
  END IF;
  PERFORM deal_sets.feed_stamp_buyer(NEW.buyer_id);
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER feed_stamp AFTER INSERT OR UPDATE OF needs_recompute ON public.request_feed
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.needs_recompute)
  EXECUTE FUNCTION deal_sets.feed_stamp();

-- Changes that a client can see, and no others: a column that is shown belongs into the condition.
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.deal_set
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_deal_set();
CREATE OR REPLACE TRIGGER feed_mark_update AFTER UPDATE ON public.deal_set FOR EACH ROW WHEN ((
    OLD.buyer_id, OLD.id, OLD.car_year, OLD.car_make, OLD.car_model, OLD.car_trim, OLD.car_exterior_color,
    OLD.car_interior_color, OLD.car_drivetrain, OLD.car_powertrain, OLD.buyer_zip, OLD.radius_miles,
    OLD.dealers_found, OLD.created_at, OLD.ended_at IS NULL
  ) IS DISTINCT FROM (
    NEW.buyer_id, NEW.id, NEW.car_year, NEW.car_make, NEW.car_model, NEW.car_trim, NEW.car_exterior_color,
    NEW.car_interior_color, NEW.car_drivetrain, NEW.car_powertrain, NEW.buyer_zip, NEW.radius_miles,
    NEW.dealers_found, NEW.created_at, NEW.ended_at IS NULL
  )) EXECUTE FUNCTION deal_sets.feed_mark_deal_set();

-- Runs before the foreign keys are checked, because it moves the rows that name the old key.
-- Triggers of one event run in the order of their names, those of foreign keys are named "RI_…",
-- and upper case comes before lower case.
CREATE OR REPLACE TRIGGER "BEFORE_RI_move_messages" AFTER UPDATE ON public.price_check FOR EACH ROW
  WHEN ((OLD.buyer_id, OLD.request_id, OLD.id) IS DISTINCT FROM (NEW.buyer_id, NEW.request_id, NEW.id))
  EXECUTE FUNCTION deal_sets.move_messages();
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.price_check
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_price_check();
-- The dealership's name is seen once the row is unlocked or chosen.
CREATE OR REPLACE TRIGGER feed_mark_update AFTER UPDATE ON public.price_check FOR EACH ROW WHEN ((
    OLD.buyer_id, OLD.id, OLD.deal_set_id, OLD.shown_year, OLD.shown_make, OLD.shown_model, OLD.shown_trim,
    OLD.shown_exterior_color, OLD.shown_mileage, OLD.shown_listed_at_cents, OLD.shown_verified_partner,
    OLD.distance_miles, OLD.requested_at, OLD.answer, OLD.otd_cents, OLD.selling_price_cents, OLD.written_at,
    OLD.finished_at IS NULL, OLD.ended, OLD.unlocked_at IS NULL, OLD.chosen_at IS NULL, OLD.archived_at IS NULL
  ) IS DISTINCT FROM (
    NEW.buyer_id, NEW.id, NEW.deal_set_id, NEW.shown_year, NEW.shown_make, NEW.shown_model, NEW.shown_trim,
    NEW.shown_exterior_color, NEW.shown_mileage, NEW.shown_listed_at_cents, NEW.shown_verified_partner,
    NEW.distance_miles, NEW.requested_at, NEW.answer, NEW.otd_cents, NEW.selling_price_cents, NEW.written_at,
    NEW.finished_at IS NULL, NEW.ended, NEW.unlocked_at IS NULL, NEW.chosen_at IS NULL, NEW.archived_at IS NULL
  ) OR (NEW.unlocked_at IS NOT NULL OR NEW.chosen_at IS NOT NULL)
    AND (OLD.dealership_id, OLD.name_md5) IS DISTINCT FROM (NEW.dealership_id, NEW.name_md5)
  ) EXECUTE FUNCTION deal_sets.feed_mark_price_check();

CREATE OR REPLACE TRIGGER set_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON public.question
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_message_request();
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.question
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER feed_mark_update AFTER UPDATE ON public.question FOR EACH ROW WHEN ((
    OLD.buyer_id, OLD.id, OLD.request_id, OLD.price_check_id, OLD.text, OLD.otd_cents, OLD.asked_at,
    OLD.answered_at IS NULL
  ) IS DISTINCT FROM (
    NEW.buyer_id, NEW.id, NEW.request_id, NEW.price_check_id, NEW.text, NEW.otd_cents, NEW.asked_at,
    NEW.answered_at IS NULL
  )) EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER feed_mark_tokens AFTER UPDATE ON public.question FOR EACH ROW WHEN (
    NEW.answered_at IS NULL
    AND (OLD.prompt_id, OLD.category, OLD.answer_mode) IS DISTINCT FROM (NEW.prompt_id, NEW.category, NEW.answer_mode)
  ) EXECUTE FUNCTION deal_sets.feed_mark_question_tokens();

CREATE OR REPLACE TRIGGER set_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON public.draft
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_message_request();
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.draft
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER feed_mark_update AFTER UPDATE ON public.draft FOR EACH ROW WHEN ((
    OLD.buyer_id, OLD.id, OLD.request_id, OLD.price_check_id, OLD.body, OLD.created_at, OLD.resolved_at IS NULL
  ) IS DISTINCT FROM (
    NEW.buyer_id, NEW.id, NEW.request_id, NEW.price_check_id, NEW.body, NEW.created_at, NEW.resolved_at IS NULL
  )) EXECUTE FUNCTION deal_sets.feed_mark_message();

CREATE OR REPLACE TRIGGER set_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON public.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_message_request();
-- After set_request, in the order of names: it needs the request.
CREATE OR REPLACE TRIGGER set_stamp BEFORE INSERT OR UPDATE ON public.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_reply_stamp();
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER feed_mark_update AFTER UPDATE ON public.reply FOR EACH ROW
  WHEN ((OLD.buyer_id, OLD.id, OLD.request_id, OLD.price_check_id, OLD.received_at)
    IS DISTINCT FROM (NEW.buyer_id, NEW.id, NEW.request_id, NEW.price_check_id, NEW.received_at))
  EXECUTE FUNCTION deal_sets.feed_mark_message();

-- On Citus a statement that is planned without its buyer goes to the shards of all, by further
-- connections. And what waits in a transaction's first phase, for one that waits for it on another
-- node, is seen by no search for deadlocks: so the wait ends, and the writer tries again.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    ALTER FUNCTION deal_sets.feed_stamp_buyer(uuid) SET plan_cache_mode = force_custom_plan;
    ALTER FUNCTION deal_sets.request_summary(uuid, uuid[]) SET plan_cache_mode = force_custom_plan;
    ALTER FUNCTION deal_sets.recompute_requests(uuid, uuid[], timestamptz) SET plan_cache_mode = force_custom_plan;
    ALTER FUNCTION deal_sets.feed_stamp() SET lock_timeout = '10s';
  END IF;
END $$;

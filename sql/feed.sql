-- The feed has one row for each request, stamped with the time of the request's newest change. A
-- client polls by stamp alone, so a request must never become visible with a stamp that a client
-- has already passed.
--
-- To ensure this, each change to a request marks its feed row in the same transaction. The marked
-- rows are stamped when the transaction commits, under a lock of their buyer that is held until the
-- commit is visible. A buyer's stamps therefore become visible in order, and a reader that can take
-- the lock has seen every earlier stamp.
--
-- The functions also run on a distributed engine (docs/decisions/0009-distributed-database.md). For
-- this reason each statement filters by one buyer and qualifies its tables with their schema, and
-- no UPDATE or INSERT contains a volatile function.

-- The keys of the advisory locks. A writer that changes one buyer's requests holds the lock of the
-- buyer's group in shared mode and the lock of the buyer in exclusive mode. A writer that changes
-- several buyers' requests holds only the locks of their groups, in exclusive mode and in ascending
-- order: at most 256 locks instead of thousands. A reader tries, without waiting, to take both
-- locks of its buyer in shared mode.
--
-- A group consists of buyers with adjacent hashes. Citus distributes rows by the same hashes,
-- so a group lies in one shard; if a transaction writes to a node over several connections, only
-- one of them takes the lock.
CREATE OR REPLACE FUNCTION deal_sets.feed_group(buyer_id uuid) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT ((uuid_hash(buyer_id)::bigint + 2147483648) >> 24)::integer $$;
CREATE OR REPLACE FUNCTION deal_sets.feed_group_key(feed_group integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7305438106571842048 + feed_group $$;
CREATE OR REPLACE FUNCTION deal_sets.feed_lock_key(buyer_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT hashtextextended('feed:' || buyer_id::text, 0) $$;

-- Starts loading history: until the transaction ends, changed requests keep their stamps. A loader
-- of history calls this in its transaction, before its first change. The mode also ends when the
-- transaction is prepared, and a rollback to a savepoint undoes it. Only the owner can execute this
-- function. Setting the variable deal_sets.history directly has no effect unless its value is the
-- secret key in schema_code.history_key.
CREATE OR REPLACE FUNCTION deal_sets.feed_enter_history() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key text := (SELECT c.history_key FROM public.schema_code c);
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    -- Citus sends a SET statement to the workers, but not the effect of set_config.
    SET LOCAL citus.propagate_set_commands TO 'local';
    EXECUTE format('SET LOCAL deal_sets.history TO %L', key);
  ELSE
    -- Keeps the key out of the statement's text, which can be logged.
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

-- Marks a request as changed by this transaction: the commit recomputes it, and stamps it unless
-- history is being loaded. The mark locks the feed row until the commit, so a second writer of the
-- request waits and then includes the changes of the first. Because a mark writes the feed row, a
-- second writer whose snapshot is older than the first writer's commit fails (40001). Writers that
-- change several requests have to change them in the order of their ids, or to repeat the
-- transaction after a deadlock (40P01).
--
-- Two local settings record the buyers whose requests the transaction changes; a rollback to a
-- savepoint restores them together with the marks. "deal_sets.feed_buyer" is the buyer of the
-- latest mark. Once there is more than one buyer, "deal_sets.feed_groups" lists the groups of all
-- of them as numbers between blanks; parsing an array for each mark would make marks a third more
-- expensive. The settings only determine which locks are taken. docs/decisions/0003-feed.md
-- explains why this is not a temporary table.
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
  -- A deletion does not create a feed row. The row of a deleted request is removed at the commit,
  -- or together with its buyer.
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

-- Returns the kind of the request that a price check belongs to. A deal set and a single request
-- can have the same id, but a price check belongs to only one of them.
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
  -- A price check that moves also changes the request that it leaves.
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
      deal_sets.kind_of_request(NEW.buyer_id, NEW.request_id, NEW.price_check_id), false);
  END IF;
  RETURN NULL;
END $$;

-- Marks the request of a question whose tokens changed, if the question is shown. A rebuild can
-- replace the tokens of many questions that are not shown; the requests of those questions keep
-- their stamps.
CREATE OR REPLACE FUNCTION deal_sets.feed_mark_question_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- A concurrent writer that makes the question visible marks its request too. This lock makes one
  -- of the two wait for the other.
  PERFORM 1 FROM public.request_feed f
  WHERE f.buyer_id = NEW.buyer_id AND f.request_id = NEW.request_id ORDER BY f.kind FOR UPDATE;
  PERFORM 1 FROM public.price_check p JOIN public.deal_set s ON s.buyer_id = p.buyer_id AND s.id = p.deal_set_id
  WHERE p.buyer_id = NEW.buyer_id AND s.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id
    AND p.ended IS NULL AND p.archived_at IS NULL AND s.ended_at IS NULL;
  IF FOUND THEN PERFORM deal_sets.feed_mark_request(NEW.buyer_id, NEW.request_id, 'deal_set', false); END IF;
  RETURN NULL;
END $$;

-- Sets the request of a question, a draft or a reply to that of its price check.
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

-- Moves questions, drafts and replies with their price check. Citus does not support cascading
-- foreign keys here. It also rejects a statement that assigns the distribution column, so buyer_id
-- is assigned only if it changes.
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

-- Sets the stamp of a reply to null if the commit must write a new one, and otherwise keeps it. A
-- reply gets a new stamp when it is inserted, and when it moves to a price check of another request
-- or buyer, because it was not readable there before. A reply that moves together with its price
-- check keeps its stamp. A reply that is loaded as history gets the time that the loader supplies,
-- or else its receipt time, but never a time in the future.
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

-- Waits until the clock has passed the stamp, so that nothing becomes visible with a stamp in the
-- future. It does not wait if the clock has been set back by more than a second.
CREATE OR REPLACE FUNCTION deal_sets.feed_await_clock(after timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WHILE after - clock_timestamp() BETWEEN interval '0' AND interval '1 second' LOOP
    PERFORM pg_sleep(extract(epoch FROM after - clock_timestamp()) + 0.0001);
  END LOOP;
END $$;

-- Stamps and recomputes the buyer's requests that this transaction marked. The caller holds the
-- buyer's lock. At READ COMMITTED, each statement takes its snapshot after the lock. At most 100
-- requests share a stamp: a page of the feed is extended by all requests with the same stamp as its
-- last one, and has to stay small.
CREATE OR REPLACE FUNCTION deal_sets.feed_stamp_buyer(buyer uuid) RETURNS void
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

-- Marks up to 25 of the buyer's requests whose stamp is at or before the given time, oldest stamp
-- first, so that the commit stamps them as if they had changed. Returns how many were marked. If
-- the time of a request's newest change is unknown, it stays unknown.
--
-- The requests of one transaction share a stamp, and a page of the feed is extended by all requests
-- with the same stamp as its last one. The limit of 25 keeps such a page small, and the order of
-- the feed changes only within those 25.
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
  -- Locks the rows in the order that every writer uses. A row that another writer had locked has a
  -- new stamp by now, and the next statement leaves it out.
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

-- Runs when the transaction commits, once for each marked row; the first run for a buyer handles
-- all of the buyer's rows. The group locks are taken here, when the transaction already holds every
-- row that it needs, because a transaction that waits for a row while it holds such a lock could
-- cause a deadlock. A setting records the locks that are held, so that they are taken only once.
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

-- The triggers fire only for changes that a client can see. Every column that is shown must be in
-- the condition.
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

-- Runs before the foreign keys are checked, because it moves the rows that refer to the old key.
-- Triggers of one event run in the order of their names; those of foreign keys are named "RI_…",
-- and upper case sorts before lower case.
CREATE OR REPLACE TRIGGER "BEFORE_RI_move_messages" AFTER UPDATE ON public.price_check FOR EACH ROW
  WHEN ((OLD.buyer_id, OLD.request_id, OLD.id) IS DISTINCT FROM (NEW.buyer_id, NEW.request_id, NEW.id))
  EXECUTE FUNCTION deal_sets.move_messages();
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.price_check
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_price_check();
-- The name of the dealership is visible once the row is unlocked or chosen.
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
-- Must run after set_request, because it uses the request. Triggers run in the order of their
-- names.
CREATE OR REPLACE TRIGGER set_stamp BEFORE INSERT OR UPDATE ON public.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_reply_stamp();
CREATE OR REPLACE TRIGGER feed_mark_row AFTER INSERT OR DELETE ON public.reply
  FOR EACH ROW EXECUTE FUNCTION deal_sets.feed_mark_message();
CREATE OR REPLACE TRIGGER feed_mark_update AFTER UPDATE ON public.reply FOR EACH ROW
  WHEN ((OLD.buyer_id, OLD.id, OLD.request_id, OLD.price_check_id)
    IS DISTINCT FROM (NEW.buyer_id, NEW.id, NEW.request_id, NEW.price_check_id))
  EXECUTE FUNCTION deal_sets.feed_mark_message();

-- On Citus, a statement that is planned without the buyer's id goes to all shards over additional
-- connections, so a custom plan is forced. Deadlock detection does not find two transactions that
-- wait for each other on different nodes in the first phase of their commit, so the wait is limited
-- and the writer repeats the transaction.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    ALTER FUNCTION deal_sets.feed_stamp_buyer(uuid) SET plan_cache_mode = force_custom_plan;
    ALTER FUNCTION deal_sets.request_summary(uuid, uuid[]) SET plan_cache_mode = force_custom_plan;
    ALTER FUNCTION deal_sets.recompute_requests(uuid, uuid[], timestamptz) SET plan_cache_mode = force_custom_plan;
    ALTER FUNCTION deal_sets.feed_stamp() SET lock_timeout = '10s';
  END IF;
END $$;

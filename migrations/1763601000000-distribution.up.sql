-- What a distributed engine needs of the schema, and a single PostgreSQL does as well: see docs/scaling.md.

-- A key that holds the column by which rows are distributed cannot cascade an update there. So a price check that
-- moves to another request takes its questions, drafts and replies along by a trigger; the keys go on checking it.
-- Keys are checked in the order of the triggers' names, after this one: theirs begin with "RI_".
ALTER TABLE question DROP CONSTRAINT question_buyer_id_request_id_price_check_id_fkey,
  ADD CONSTRAINT question_buyer_id_request_id_price_check_id_fkey FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON DELETE CASCADE;
ALTER TABLE draft DROP CONSTRAINT draft_buyer_id_request_id_price_check_id_fkey,
  ADD CONSTRAINT draft_buyer_id_request_id_price_check_id_fkey FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON DELETE CASCADE;
ALTER TABLE reply DROP CONSTRAINT reply_buyer_id_request_id_price_check_id_fkey,
  ADD CONSTRAINT reply_buyer_id_request_id_price_check_id_fkey FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON DELETE CASCADE;

CREATE FUNCTION move_messages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE question m SET buyer_id = NEW.buyer_id, request_id = NEW.request_id, price_check_id = NEW.id
  WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
  UPDATE draft m SET buyer_id = NEW.buyer_id, request_id = NEW.request_id, price_check_id = NEW.id
  WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
  UPDATE reply m SET buyer_id = NEW.buyer_id, request_id = NEW.request_id, price_check_id = NEW.id
  WHERE m.buyer_id = OLD.buyer_id AND m.request_id = OLD.request_id AND m.price_check_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER "A_move_messages" AFTER UPDATE ON price_check FOR EACH ROW
  WHEN ((OLD.buyer_id, OLD.request_id, OLD.id) IS DISTINCT FROM (NEW.buyer_id, NEW.request_id, NEW.id))
  EXECUTE FUNCTION move_messages();

-- The lock of all buyers as a poll asks for it. A poll names the buyer's table, so that it asks on the server that
-- stores her; a distributed engine has one lock for each part of that table.
CREATE FUNCTION feed_lock_key(buyer_table oid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7305438106571842117::bigint $$;
GRANT SELECT (id, tableoid) ON buyer TO deal_sets_reader, deal_sets_assistant;

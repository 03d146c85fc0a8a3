-- Removes the functions and triggers of earlier versions, most of which have other names or
-- parameters now. The files of sql/ create the present ones in the same transaction, so no change of
-- a request is committed in between.
DO $$
DECLARE
  code CONSTANT oid := (SELECT oid FROM pg_namespace WHERE nspname = 'deal_sets');
  statement text;
BEGIN
  FOR statement IN
    SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE p.pronamespace = code AND NOT t.tgisinternal AND t.tgparentid = 0
  LOOP EXECUTE statement; END LOOP;
  FOR statement IN SELECT format('DROP FUNCTION %s', p.oid::regprocedure) FROM pg_proc p WHERE p.pronamespace = code
  LOOP EXECUTE statement; END LOOP;
END $$;

-- Questions, drafts and replies move with their price check.
ALTER TABLE question DROP CONSTRAINT question_buyer_id_request_id_price_check_id_fkey,
  ADD FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE draft DROP CONSTRAINT draft_buyer_id_request_id_price_check_id_fkey,
  ADD FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE reply DROP CONSTRAINT reply_buyer_id_request_id_price_check_id_fkey,
  ADD FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE;

-- A transaction that loads history is identified by its id, no longer by a secret.
ALTER TABLE schema_code DROP COLUMN history_key;

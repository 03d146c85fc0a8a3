REVOKE SELECT (tableoid) ON buyer FROM deal_sets_reader;
REVOKE SELECT (id, tableoid) ON buyer FROM deal_sets_assistant;
DROP FUNCTION feed_lock_key(oid);
DROP TRIGGER "A_move_messages" ON price_check;
DROP FUNCTION move_messages();
ALTER TABLE question DROP CONSTRAINT question_buyer_id_request_id_price_check_id_fkey,
  ADD CONSTRAINT question_buyer_id_request_id_price_check_id_fkey FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE draft DROP CONSTRAINT draft_buyer_id_request_id_price_check_id_fkey,
  ADD CONSTRAINT draft_buyer_id_request_id_price_check_id_fkey FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE reply DROP CONSTRAINT reply_buyer_id_request_id_price_check_id_fkey,
  ADD CONSTRAINT reply_buyer_id_request_id_price_check_id_fkey FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE;

-- What a commit of one reply does most keeps its plans. The function marks the same as before; no stored data change.

-- Marks what a statement on one of the tables changed.
-- A row that stays as it was is no change, and a row that moves changes both of its requests.
CREATE OR REPLACE FUNCTION feed_follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  request_ids uuid[];
  kinds text[];
  changed text;
  request text;
BEGIN
  -- What a commit does most has statements whose plans are kept: the stamp of a reply, which is no change of it (a
  -- column that is added to replies and shown belongs in here), and below what comes new to a price check.
  IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'reply' THEN
    PERFORM FROM new_rows n FULL JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
    WHERE (n.request_id, n.price_check_id, n.received_at) IS DISTINCT FROM
      (o.request_id, o.price_check_id, o.received_at);
    IF NOT FOUND THEN RETURN NULL; END IF;
  END IF;
  IF TG_OP = 'INSERT' AND TG_TABLE_NAME NOT IN ('deal_set', 'price_check') THEN
    -- Looked up by key for each row, whatever number of rows the plan was made for.
    SELECT array_agg(r.buyer_id), array_agg(r.request_id), array_agg(r.kind) INTO buyer_ids, request_ids, kinds
    FROM (
      SELECT DISTINCT c.buyer_id, c.request_id, CASE
          WHEN (SELECT p.deal_set_id IS NOT NULL FROM price_check p
            WHERE p.buyer_id = c.buyer_id AND p.id = c.price_check_id AND p.request_id = c.request_id) THEN 'deal_set'
          WHEN c.request_id = c.price_check_id THEN 'single'
          ELSE 'deal_set' END AS kind
      FROM new_rows c
    ) r;
    IF buyer_ids IS NOT NULL THEN PERFORM feed_change(buyer_ids, request_ids, kinds, false); END IF;
    RETURN NULL;
  END IF;

  changed := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT n.* FROM new_rows n'
    WHEN 'DELETE' THEN 'SELECT o.* FROM old_rows o'
    ELSE 'SELECT n.* FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
            WHERE n.* IS DISTINCT FROM o.*
          UNION ALL
          SELECT o.* FROM old_rows o LEFT JOIN new_rows n ON o.buyer_id = n.buyer_id AND o.id = n.id
            WHERE n.* IS DISTINCT FROM o.*'
  END;
  request := CASE TG_TABLE_NAME
    WHEN 'deal_set' THEN 'SELECT c.buyer_id, c.id AS request_id, ''deal_set'' AS kind FROM changed c'
    WHEN 'price_check' THEN 'SELECT c.buyer_id, c.request_id,
      CASE WHEN c.deal_set_id IS NULL THEN ''single'' ELSE ''deal_set'' END AS kind FROM changed c'
    -- Its price check may have moved on, and take it along: what it was part of is told by its own key.
    ELSE 'SELECT c.buyer_id, c.request_id, CASE
        WHEN p.request_id = c.request_id AND p.deal_set_id IS NOT NULL THEN ''deal_set''
        WHEN c.request_id = c.price_check_id THEN ''single''
        ELSE ''deal_set'' END AS kind
      FROM changed c LEFT JOIN price_check p ON p.buyer_id = c.buyer_id AND p.id = c.price_check_id'
  END;
  EXECUTE format('WITH changed AS (%s), request AS (SELECT DISTINCT * FROM (%s) r)
      SELECT array_agg(buyer_id), array_agg(request_id), array_agg(kind) FROM request', changed, request)
    INTO buyer_ids, request_ids, kinds;
  IF buyer_ids IS NULL THEN RETURN NULL; END IF;

  PERFORM feed_change(buyer_ids, request_ids, kinds, TG_OP <> 'INSERT');
  RETURN NULL;
END $$;

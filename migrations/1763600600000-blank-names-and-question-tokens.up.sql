-- What other writers than the import must not write either: blank names, and question tokens that carry a
-- dealership's name or contact. Fills no column and stamps no request; existing rows are not examined.

-- Whether a text has no visible character: white space, control characters and what Unicode calls
-- default-ignorable, and the braille blank.
CREATE FUNCTION is_blank(input text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT input ~ '^[\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*$'
$$;

-- NOT VALID: rows that are there already do not keep the migration from being applied.
ALTER TABLE dealership
  ADD CONSTRAINT dealership_name_not_blank CHECK (NOT is_blank(name)) NOT VALID;
ALTER TABLE deal_set
  ADD CONSTRAINT deal_set_car_make_not_blank CHECK (NOT is_blank(car_make)) NOT VALID,
  ADD CONSTRAINT deal_set_car_model_not_blank CHECK (NOT is_blank(car_model)) NOT VALID;

-- An assistant reads category, prompt_id and answer_mode as they are. Of the given tokens, those that
-- contain an e-mail address, a telephone number or a name of several words of a dealership of the request.
-- Such a key has ten characters or more, so a token and a key that it contains share a run of ten: grouping
-- by these runs keeps the work in proportion to the tokens plus the dealerships, not to their product.
CREATE FUNCTION tokens_naming_dealerships(buyer_ids uuid[], request_ids uuid[], tokens text[])
RETURNS TABLE (buyer_id uuid, request_id uuid, token text)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH given AS MATERIALIZED (
    SELECT DISTINCT g.buyer_id, g.request_id, g.token
    FROM unnest(buyer_ids, request_ids, tokens) AS g (buyer_id, request_id, token)
    WHERE char_length(g.token) >= 10
  ), side AS (
    SELECT t.buyer_id, t.request_id, substr(t.text, n, 10) AS run, t.text, t.token, NULL AS key
    FROM (SELECT g.*, folded(g.token) AS text FROM given g OFFSET 0) t
    CROSS JOIN LATERAL generate_series(1, char_length(t.text) - 9) AS n
    UNION ALL
    SELECT DISTINCT r.buyer_id, r.request_id, left(k.key, 10), NULL, NULL, k.key
    FROM (SELECT DISTINCT g.buyer_id, g.request_id FROM given g) r
    JOIN price_check pc ON pc.buyer_id = r.buyer_id AND pc.request_id = r.request_id
    JOIN dealership d ON d.id = pc.dealership_id
    CROSS JOIN LATERAL unnest(d.loose_keys) AS k (key)
    WHERE char_length(k.key) >= 10
  ), met AS (
    -- Grouped rather than joined: without statistics the planner would choose a nested loop.
    SELECT s.buyer_id, s.request_id,
      array_agg(DISTINCT s.key) FILTER (WHERE s.key IS NOT NULL) AS keys,
      array_agg(s.text) FILTER (WHERE s.token IS NOT NULL) AS texts,
      array_agg(s.token) FILTER (WHERE s.token IS NOT NULL) AS tokens
    FROM side s
    GROUP BY s.buyer_id, s.request_id, s.run
    HAVING count(s.key) > 0 AND count(s.token) > 0
  )
  SELECT DISTINCT m.buyer_id, m.request_id, t.token
  FROM met m
  CROSS JOIN LATERAL unnest(m.texts, m.tokens) AS t (text, token)
  CROSS JOIN LATERAL unnest(m.keys) AS k (key)
  WHERE position(k.key IN t.text) > 0
$$;

-- Refuses questions with such tokens when they are written. A dealership that is renamed or joins the request
-- later changes nothing: the token was written without knowledge of it.
CREATE FUNCTION question_refuses_names() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  written text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT n.* FROM new_rows n'
    ELSE 'SELECT n.* FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
      WHERE (n.price_check_id, n.prompt_id, n.category, n.answer_mode)
        IS DISTINCT FROM (o.price_check_id, o.prompt_id, o.category, o.answer_mode)'
  END;
  refused text;
BEGIN
  EXECUTE format('WITH given AS MATERIALIZED (
      SELECT w.buyer_id, w.request_id, t.name, t.token
      FROM (%s) w
      CROSS JOIN LATERAL (VALUES (''category'', w.category::text), (''prompt_id'', w.prompt_id::text),
        (''answer_mode'', w.answer_mode::text)) AS t (name, token)
      WHERE char_length(t.token) >= 10
    ), listed AS (
      SELECT array_agg(buyer_id) AS buyer_ids, array_agg(request_id) AS request_ids, array_agg(token) AS tokens
      FROM given
    )
    SELECT min(g.name) FROM listed l
    CROSS JOIN LATERAL tokens_naming_dealerships(l.buyer_ids, l.request_ids, l.tokens) n
    JOIN given g ON g.buyer_id = n.buyer_id AND g.request_id = n.request_id AND g.token = n.token
    WHERE l.tokens IS NOT NULL', written)
    INTO refused;
  IF refused IS NOT NULL THEN
    RAISE EXCEPTION 'question.% contains a name, telephone number or e-mail address of a dealership of its request', refused
      USING ERRCODE = 'check_violation', TABLE = 'question', COLUMN = refused,
        HINT = 'Assistants read this token: choose one without names or contacts.';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER t0_names_insert AFTER INSERT ON question REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION question_refuses_names();
CREATE TRIGGER t0_names_update AFTER UPDATE ON question REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION question_refuses_names();

-- Assistants receive the tokens of a question (prompt id, category, answer mode) unchanged, so no
-- token may identify the dealership that asked. A new token that identifies it is rejected. The
-- statement that gives a price check to another dealership, or renames the dealership, replaces the
-- stored tokens that identify it.

CREATE OR REPLACE FUNCTION deal_sets.is_token_shown(p_token text, p_name_keys text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_token = 'other' OR NOT (
    deal_sets.names_dealership(deal_sets.name_key(p_token), p_name_keys)
    OR deal_sets.has_host(p_token)
    -- The digits of a UUID do not count as a telephone number.
    OR deal_sets.has_telephone_number(regexp_replace(p_token,
      '(?<![A-Za-z0-9])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![A-Za-z0-9])', 'x', 'gi')))
$$;

-- Returns prompt id, category and answer mode as they may be shown.
CREATE OR REPLACE FUNCTION deal_sets.shown_tokens(
  p_prompt_id text, p_category text, p_answer_mode text, p_name_keys text[],
  OUT prompt_id text, OUT category text, OUT answer_mode text
) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT
    CASE WHEN deal_sets.is_token_shown(p_prompt_id, p_name_keys) THEN p_prompt_id END,
    CASE WHEN p_category ~ '^[A-Za-z]' AND deal_sets.is_token_shown(p_category, p_name_keys) THEN p_category ELSE 'other' END,
    CASE WHEN p_answer_mode ~ '^[A-Za-z]' AND deal_sets.is_token_shown(p_answer_mode, p_name_keys) THEN p_answer_mode
      ELSE 'other' END
$$;

CREATE OR REPLACE FUNCTION deal_sets.check_question_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  has_equal_tokens CONSTANT boolean := TG_OP = 'UPDATE'
    AND (NEW.prompt_id, NEW.category, NEW.answer_mode) IS NOT DISTINCT FROM (OLD.prompt_id, OLD.category, OLD.answer_mode);
  dealership_id uuid;
  dealership_name text;
  shown record;
BEGIN
  IF has_equal_tokens AND (NEW.buyer_id, NEW.price_check_id) = (OLD.buyer_id, OLD.price_check_id) THEN RETURN NEW; END IF;
  SELECT p.dealership_id INTO dealership_id
  FROM deal_sets.price_check p WHERE p.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id;
  -- On a logical replica, the question can arrive before its price check. In that case, a later
  -- rebuild checks its tokens.
  IF FOUND THEN
    PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(dealership_id));
    SELECT d.name INTO dealership_name FROM deal_sets.dealership d WHERE d.id = dealership_id;
  END IF;
  shown := deal_sets.shown_tokens(NEW.prompt_id, NEW.category, NEW.answer_mode, deal_sets.name_keys(dealership_name));
  -- Two cases are not rejected: a row that a logical replica receives, and a question that moves to
  -- another price check with unchanged tokens. Tokens that may not be shown are replaced below.
  IF NOT has_equal_tokens AND current_setting('session_replication_role') <> 'replica' THEN
    DECLARE
      rejected record;
    BEGIN
      SELECT t.name, t.given INTO rejected FROM (VALUES
        (1, 'prompt_id', NEW.prompt_id::text, shown.prompt_id),
        (2, 'category', NEW.category::text, shown.category),
        (3, 'answer_mode', NEW.answer_mode::text, shown.answer_mode)
      ) t (place, name, given, shown) WHERE t.given IS DISTINCT FROM t.shown ORDER BY t.place LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION '% "%" of a question to dealership "%" may not be shown', rejected.name, rejected.given, dealership_name
          USING ERRCODE = 'check_violation', TABLE = 'question', HINT = 'It must not contain the name of the dealership,'
            ' a telephone number or a host, and category and answer_mode must begin with a letter.';
      END IF;
    END;
  END IF;
  NEW.prompt_id := shown.prompt_id;
  NEW.category := shown.category;
  NEW.answer_mode := shown.answer_mode;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER _200_check_tokens BEFORE INSERT OR UPDATE ON deal_sets.question
  FOR EACH ROW EXECUTE FUNCTION deal_sets.check_question_tokens();

-- Replaces those tokens of the questions of a buyer's price checks that may not be shown. Returns
-- the price checks of the open questions among them.
CREATE OR REPLACE FUNCTION deal_sets.renew_tokens(p_buyer_id uuid, p_price_check_ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed uuid[];
BEGIN
  WITH replaced AS (
    UPDATE deal_sets.question q SET prompt_id = t.prompt_id, category = t.category, answer_mode = t.answer_mode
    FROM deal_sets.question m
    JOIN deal_sets.price_check p ON p.buyer_id = m.buyer_id AND p.request_id = m.request_id AND p.id = m.price_check_id
    JOIN deal_sets.dealership d ON d.id = p.dealership_id
    CROSS JOIN LATERAL deal_sets.shown_tokens(m.prompt_id, m.category, m.answer_mode, deal_sets.name_keys(d.name)) t
    WHERE q.buyer_id = p_buyer_id AND m.buyer_id = p_buyer_id AND p.buyer_id = p_buyer_id AND q.id = m.id
      AND p.id = ANY (p_price_check_ids)
      AND (m.prompt_id, m.category, m.answer_mode) IS DISTINCT FROM (t.prompt_id, t.category, t.answer_mode)
    RETURNING q.price_check_id, q.answered_at
  )
  SELECT array_agg(DISTINCT r.price_check_id) FILTER (WHERE r.answered_at IS NULL) INTO changed FROM replaced r;
  RETURN coalesce(changed, '{}');
END $$;

-- Replaces the tokens of a price check's questions and moves the requests that show one of them.
CREATE OR REPLACE FUNCTION deal_sets.recheck_tokens(p_buyer_id uuid, p_price_check_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM deal_sets.feed_mark_shown_question(p_buyer_id, c.id)
  FROM unnest(deal_sets.renew_tokens(p_buyer_id, p_price_check_ids)) c (id) ORDER BY c.id;
END $$;

CREATE OR REPLACE FUNCTION deal_sets.recheck_price_check_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM deal_sets.recheck_tokens(NEW.buyer_id, ARRAY[NEW.id]);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER _500_recheck_tokens AFTER UPDATE ON deal_sets.price_check FOR EACH ROW
  WHEN (OLD.dealership_id <> NEW.dealership_id) EXECUTE FUNCTION deal_sets.recheck_price_check_tokens();

-- Assistants receive the tokens of a question (prompt id, category, answer mode) unchanged, so no
-- token may identify the dealership that asked. A new token that identifies it is rejected. If a
-- price check is assigned to a different dealership, or its dealership is renamed, stored tokens
-- that identify the price check's dealership are replaced.

CREATE OR REPLACE FUNCTION deal_sets.is_token_shown(token text, name_keys text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT token = 'other' OR NOT (
    deal_sets.names_dealership(deal_sets.name_key(token), name_keys)
    OR deal_sets.has_host(token)
    -- The digits of a UUID do not count as a telephone number.
    OR deal_sets.has_telephone_number(regexp_replace(token,
      '(?<![A-Za-z0-9])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![A-Za-z0-9])', 'x', 'gi')))
$$;

-- Returns prompt id, category and answer mode as they may be shown.
CREATE OR REPLACE FUNCTION deal_sets.shown_tokens(prompt_id text, category text, answer_mode text, name_keys text[])
RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY[
    CASE WHEN deal_sets.is_token_shown(prompt_id, name_keys) THEN prompt_id END,
    CASE WHEN category ~ '^[A-Za-z]' AND deal_sets.is_token_shown(category, name_keys) THEN category ELSE 'other' END,
    CASE WHEN answer_mode ~ '^[A-Za-z]' AND deal_sets.is_token_shown(answer_mode, name_keys) THEN answer_mode
      ELSE 'other' END]
$$;

CREATE OR REPLACE FUNCTION deal_sets.validate_question_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given text[] := ARRAY[NEW.prompt_id, NEW.category, NEW.answer_mode];
  stored text[] := CASE WHEN TG_OP = 'UPDATE' THEN ARRAY[OLD.prompt_id, OLD.category, OLD.answer_mode] END;
  dealership_id uuid;
  dealership_name text;
  shown text[];
BEGIN
  IF TG_OP = 'UPDATE' AND (NEW.buyer_id, NEW.price_check_id) = (OLD.buyer_id, OLD.price_check_id)
    AND given IS NOT DISTINCT FROM stored THEN RETURN NEW; END IF;
  SELECT p.dealership_id INTO dealership_id
  FROM deal_sets.price_check p WHERE p.buyer_id = NEW.buyer_id AND p.id = NEW.price_check_id;
  -- On a logical replica, the question can arrive before its price check. In that case, a later
  -- rebuild checks its tokens.
  IF FOUND THEN
    PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(dealership_id));
    SELECT d.name INTO dealership_name FROM deal_sets.dealership d WHERE d.id = dealership_id;
  END IF;
  shown := deal_sets.shown_tokens(given[1], given[2], given[3], deal_sets.name_keys(dealership_name));
  IF shown IS NOT DISTINCT FROM given THEN RETURN NEW; END IF;
  -- Two cases are not rejected: a row that a logical replica receives, and a question that moves to
  -- another price check with unchanged tokens. Tokens that may not be shown are replaced below.
  IF given IS DISTINCT FROM stored AND current_setting('session_replication_role') <> 'replica' THEN
    FOR i IN 1..3 LOOP
      CONTINUE WHEN shown[i] IS NOT DISTINCT FROM given[i];
      RAISE EXCEPTION '% "%" of a question to dealership "%" may not be shown',
        (ARRAY['prompt_id', 'category', 'answer_mode'])[i], given[i], dealership_name
        USING ERRCODE = 'check_violation', TABLE = 'question', HINT = 'It must not contain the name of the dealership,'
          ' a telephone number or a host, and category and answer_mode must begin with a letter.';
    END LOOP;
  END IF;
  NEW.prompt_id := shown[1];
  NEW.category := shown[2];
  NEW.answer_mode := shown[3];
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER _200_check_tokens BEFORE INSERT OR UPDATE ON deal_sets.question
  FOR EACH ROW EXECUTE FUNCTION deal_sets.validate_question_tokens();

-- Replaces those tokens of questions of the buyer's requests that may not be shown.
CREATE OR REPLACE FUNCTION deal_sets.recheck_tokens(p_buyer_id uuid, p_request_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE deal_sets.question q SET prompt_id = s.tokens[1], category = s.tokens[2], answer_mode = s.tokens[3]
  FROM (
    SELECT m.id, deal_sets.shown_tokens(m.prompt_id, m.category, m.answer_mode, deal_sets.name_keys(d.name)) AS tokens
    FROM deal_sets.question m
    JOIN deal_sets.price_check p ON p.buyer_id = m.buyer_id AND p.id = m.price_check_id
    JOIN deal_sets.dealership d ON d.id = p.dealership_id
    WHERE m.buyer_id = p_buyer_id AND p.buyer_id = p_buyer_id AND m.request_id = ANY (p_request_ids)
  ) s
  WHERE q.buyer_id = p_buyer_id AND q.id = s.id
    AND s.tokens IS DISTINCT FROM ARRAY[q.prompt_id::text, q.category::text, q.answer_mode::text];
END $$;

CREATE OR REPLACE FUNCTION deal_sets.recheck_price_check_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM deal_sets.recheck_tokens(NEW.buyer_id, ARRAY[NEW.request_id]);
  RETURN NULL;
END $$;

-- Fires when the price check's dealership, or that dealership's name, has changed.
CREATE OR REPLACE TRIGGER _500_recheck_tokens AFTER UPDATE ON deal_sets.price_check FOR EACH ROW
  WHEN ((OLD.dealership_id, OLD.name_md5) IS DISTINCT FROM (NEW.dealership_id, NEW.name_md5))
  EXECUTE FUNCTION deal_sets.recheck_price_check_tokens();

-- Decides which parts of a listing may be shown to anyone: make, model, trim and color, if they
-- have the shape of words that describe a car and do not contain the name of the row's dealership.
-- The decision is made and stored when a part or the row's dealership is written. It is a
-- safeguard: the parts are the website's words for a car, as its catalogue has them.

-- Returns whether the part has the shape of words of a car: plain characters, but no telephone
-- number, VIN or host, and no sign that the value is not known. Typographic signs and letters with
-- one accent count as plain. The shape also excludes e-mail addresses, HTML tags and entities,
-- invisible characters and other alphabets.
CREATE OR REPLACE FUNCTION deal_sets.has_shape_of_car_words(p_part text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p.plain ~ '^[A-Za-z0-9 .,+/&''"()#:!*_[\]|-]{1,100}$'
    AND strpos(p.plain, '&#') = 0
    -- Ten digits that are separated only by blanks and punctuation, or seven with a dash or dot
    -- after the third.
    AND p.plain !~ '([0-9][^A-Za-z0-9]*){10}|[0-9]{3}[-.][0-9]{4}'
    -- A VIN or its beginning: a word of at least eleven letters and digits, four of them digits.
    AND p.plain !~ '(^|[^A-Za-z0-9])(?=[A-Za-z0-9]{11})([A-Za-z]*[0-9]){4}'
    AND p.plain COLLATE "C" !~* '//|www\.|[a-z0-9]\.(com|net|org|us|io|co|cars|biz|info)($|[^a-z0-9])'
    -- The trims "+" and "!" exist.
    AND (p.plain IN ('+', '!')
      OR p.plain COLLATE "C" !~* '^[^a-z0-9]*(n/a|nan|null|none|undefined|unknown|tbd)?[^a-z0-9]*$')
  FROM (SELECT regexp_replace(
    normalize(translate(p_part, U&'\2013\2014\2011\2019\2018\201C\201D\00AE\2122', $t$---''""$t$), NFD),
    U&'([A-Za-z])[\0300-\036F]', '\1', 'g')) p (plain)
$$;

-- Returns the words with their letters in plain form: accents are characters of their own. The signs
-- of trademarks and service marks are dropped first, because NFKD makes letters of them.
CREATE OR REPLACE FUNCTION deal_sets.plain_words(p_words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT normalize(translate(p_words, U&'\00AE\2122\2120', ''), NFKD)
$$;

-- Returns the letters and digits of the words, without case and accents. "&" equals "and".
CREATE OR REPLACE FUNCTION deal_sets.letters_and_digits(p_words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(lower(replace(deal_sets.plain_words(p_words), '&', 'and') COLLATE "C"), '[^a-z0-9]+', '', 'g')
$$;

-- Returns whether the words, joined, contain the dealership's name without the legal forms at its
-- end. A name of up to three letters and digits must equal one of the words; one without any is
-- contained in nothing. The comparison knows only letters that are Latin in NFKD.
CREATE OR REPLACE FUNCTION deal_sets.contain_name(p_words text[], p_name text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(CASE char_length(n.key)
      WHEN 0 THEN false
      WHEN 1 THEN n.key = ANY (w.keys)
      WHEN 2 THEN n.key = ANY (w.keys)
      WHEN 3 THEN n.key = ANY (w.keys)
      ELSE strpos(array_to_string(w.keys, ''), n.key) > 0
    END, false)
  FROM (SELECT deal_sets.letters_and_digits(regexp_replace(replace(deal_sets.plain_words(p_name), '.', '') COLLATE "C",
      '(\S)([\s,;:()/+&|"-]+(LLC|LLP|Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|Limited))+[\s,;:()/+&|"-]*$',
      '\1', 'i'))) n (key),
    (SELECT ARRAY(SELECT deal_sets.letters_and_digits(word) FROM unnest(p_words) WITH ORDINALITY u (word, place)
      ORDER BY place)) w (keys)
$$;

-- Returns make, model, trim and color as they may be shown at a dealership of this name. Each is
-- null if it may not be shown. Where the name is null, the shape alone decides. The setting makes
-- literals with backslashes mean the same in every writer's session.
CREATE OR REPLACE FUNCTION deal_sets.shown_parts(
  p_make text, p_model text, p_trim text, p_color text, p_name text,
  OUT make text, OUT model text, OUT trim_level text, OUT color text
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on AS $$
DECLARE
  parts text[] := ARRAY[p_color, p_model, p_trim, p_make];
BEGIN
  FOR i IN 1..4 LOOP
    parts[i] := normalize(btrim(parts[i], E' \t\n\r'), NFC);
    IF deal_sets.has_shape_of_car_words(parts[i]) IS NOT TRUE THEN parts[i] := NULL; END IF;
  END LOOP;
  -- A label contains color, model and trim in this order, and never the make.
  IF NOT deal_sets.contain_name(parts[1:3], p_name) THEN
    color := parts[1];
    model := parts[2];
    trim_level := parts[3];
  END IF;
  IF NOT deal_sets.contain_name(parts[4:4], p_name) THEN make := parts[4]; END IF;
END $$;

-- Returns the key of a dealership's advisory lock. A writer that decides what is shown of a price
-- check holds the lock in shared mode, and a writer that renames the dealership or changes its
-- partner status holds it in exclusive mode, so the later of the two sees the change of the earlier
-- one. All dealerships share 1,024 locks, so that a large import does not exceed the server's lock
-- table. A lock of the dealership's row instead would be starved by a busy dealership's writers.
CREATE OR REPLACE FUNCTION deal_sets.dealership_lock_key(p_dealership_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 4611686018427387904 + (hashtextextended(p_dealership_id::text, 0) & 1023)
$$;

-- Writes shown_make, shown_model, shown_trim, shown_exterior_color and shown_verified_partner. The
-- parts are decided when make, model, trim, color or the dealership gets another value. Otherwise
-- they stay: a writer can set a part only to null or to what would be decided now, so a part that
-- was withheld stays withheld when its dealership is renamed.
CREATE OR REPLACE FUNCTION deal_sets.set_shown_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_new CONSTANT boolean := TG_OP = 'INSERT'
    OR (NEW.dealership_id, NEW.listing_make, NEW.listing_model, NEW.listing_trim, NEW.listing_exterior_color)
      IS DISTINCT FROM
      (OLD.dealership_id, OLD.listing_make, OLD.listing_model, OLD.listing_trim, OLD.listing_exterior_color);
  dealership record;
  decided record;
BEGIN
  IF NOT is_new AND (
    NEW.shown_make, NEW.shown_model, NEW.shown_trim, NEW.shown_exterior_color, NEW.shown_verified_partner
  ) IS NOT DISTINCT FROM (
    OLD.shown_make, OLD.shown_model, OLD.shown_trim, OLD.shown_exterior_color, OLD.shown_verified_partner
  ) THEN RETURN NEW; END IF;
  PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(NEW.dealership_id));
  IF current_setting('transaction_isolation') = 'read committed' THEN
    SELECT d.name, d.verified_partner INTO dealership FROM deal_sets.dealership d WHERE d.id = NEW.dealership_id;
  ELSE
    -- The snapshot may be older than the lock. FOR SHARE fails with 40001 if the dealership has
    -- been changed since then.
    SELECT d.name, d.verified_partner INTO dealership FROM deal_sets.dealership d WHERE d.id = NEW.dealership_id FOR SHARE;
  END IF;
  NEW.shown_verified_partner := coalesce(dealership.verified_partner, false);
  -- On a logical replica, the price check can arrive before its dealership. The shape alone decides
  -- then, and the dealership's arrival decides about its name.
  decided := deal_sets.shown_parts(
    NEW.listing_make, NEW.listing_model, NEW.listing_trim, NEW.listing_exterior_color, dealership.name);
  IF is_new THEN
    NEW.shown_make := decided.make;
    NEW.shown_model := decided.model;
    NEW.shown_trim := decided.trim_level;
    NEW.shown_exterior_color := decided.color;
    RETURN NEW;
  END IF;
  IF NEW.shown_make <> decided.make IS NOT FALSE THEN
    NEW.shown_make := CASE WHEN NEW.shown_make IS NOT NULL THEN OLD.shown_make END;
  END IF;
  IF NEW.shown_model <> decided.model IS NOT FALSE THEN
    NEW.shown_model := CASE WHEN NEW.shown_model IS NOT NULL THEN OLD.shown_model END;
  END IF;
  IF NEW.shown_trim <> decided.trim_level IS NOT FALSE THEN
    NEW.shown_trim := CASE WHEN NEW.shown_trim IS NOT NULL THEN OLD.shown_trim END;
  END IF;
  IF NEW.shown_exterior_color <> decided.color IS NOT FALSE THEN
    NEW.shown_exterior_color := CASE WHEN NEW.shown_exterior_color IS NOT NULL THEN OLD.shown_exterior_color END;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER _100_set_shown BEFORE INSERT OR UPDATE ON deal_sets.price_check
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_shown_listing();

-- Renews the price checks of dealerships whose name or partner status has changed: parts that the
-- present name forbids become unknown, which moves their requests, and the partner status, which
-- moves nothing: one stamp for all of its rows would reveal which rows belong to one dealership.
-- The rows are locked in the order in which all writers lock requests.
CREATE OR REPLACE FUNCTION deal_sets.renew_price_checks(p_dealership_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(k.key)
  FROM (SELECT DISTINCT deal_sets.dealership_lock_key(i.id) AS key FROM unnest(p_dealership_ids) i (id) ORDER BY key) k;
  UPDATE deal_sets.price_check p
  SET shown_make = w.make, shown_model = w.model, shown_trim = w.trim_level, shown_exterior_color = w.color,
    shown_verified_partner = w.is_partner
  FROM (
    SELECT q.buyer_id, q.id, s.*, coalesce(d.verified_partner, false) AS is_partner
    FROM deal_sets.dealership d
    JOIN deal_sets.price_check q ON q.dealership_id = d.id
    CROSS JOIN LATERAL deal_sets.shown_parts(
      q.shown_make, q.shown_model, q.shown_trim, q.shown_exterior_color, d.name) s
    WHERE d.id = ANY (p_dealership_ids) AND (
      q.shown_make, q.shown_model, q.shown_trim, q.shown_exterior_color, q.shown_verified_partner
    ) IS DISTINCT FROM (s.make, s.model, s.trim_level, s.color, coalesce(d.verified_partner, false))
    ORDER BY q.buyer_id, q.request_id, q.id
    FOR NO KEY UPDATE OF q
  ) w
  WHERE p.buyer_id = w.buyer_id AND p.id = w.id;
END $$;

CREATE OR REPLACE FUNCTION deal_sets.renew_dealership() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Only a logical replica receives a dealership after its price checks.
  IF TG_OP = 'INSERT' AND current_setting('session_replication_role') <> 'replica' THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the name and the partner status of a dealership can be changed only at READ COMMITTED'
      USING ERRCODE = 'feature_not_supported', HINT = 'At another isolation level, the snapshot of the'
        ' transaction can lack price checks that have to follow the change.';
  END IF;
  PERFORM deal_sets.renew_price_checks(ARRAY[NEW.id]);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER _500_renew_added AFTER INSERT ON deal_sets.dealership
  FOR EACH ROW EXECUTE FUNCTION deal_sets.renew_dealership();
CREATE OR REPLACE TRIGGER _500_renew AFTER UPDATE ON deal_sets.dealership FOR EACH ROW
  WHEN ((OLD.name, coalesce(OLD.verified_partner, false)) IS DISTINCT FROM (NEW.name, coalesce(NEW.verified_partner, false)))
  EXECUTE FUNCTION deal_sets.renew_dealership();

-- Withholds what the present rule and the present names forbid in a buyer's requests, and moves
-- these requests. It shows nothing that was withheld. A rebuild calls it.
CREATE OR REPLACE FUNCTION deal_sets.withhold_parts(p_buyer_id uuid, p_request_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE deal_sets.price_check p
  SET shown_make = s.make, shown_model = s.model, shown_trim = s.trim_level, shown_exterior_color = s.color,
    shown_verified_partner = coalesce(d.verified_partner, false)
  FROM deal_sets.price_check o
  JOIN deal_sets.dealership d ON d.id = o.dealership_id
  CROSS JOIN LATERAL deal_sets.shown_parts(
    o.shown_make, o.shown_model, o.shown_trim, o.shown_exterior_color, d.name) s
  WHERE p.buyer_id = p_buyer_id AND p.request_id = ANY (p_request_ids) AND o.buyer_id = p_buyer_id AND o.id = p.id AND (
      p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color, p.shown_verified_partner
    ) IS DISTINCT FROM (s.make, s.model, s.trim_level, s.color, coalesce(d.verified_partner, false));
END $$;

-- Decides which parts of a listing may be shown to anyone: text that looks like the description of
-- a car and does not identify the dealership, neither in a part nor in the label that the parts
-- form together. The decision is made and stored when a price check or a dealership's name is
-- written.

-- Replaces typographic signs with their plain forms and removes accents, at most one from each
-- letter.
CREATE OR REPLACE FUNCTION deal_sets.plain_letters(p_part text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(
    normalize(translate(p_part, U&'\2013\2014\2011\2019\2018\201C\201D\00AE\2122', $t$---''""$t$), NFD),
    U&'([A-Za-z])[\0300-\036F]', '\1', 'g')
$$;

-- Returns whether the words contain ten digits that are separated only by blanks and punctuation,
-- or seven digits with a dash or dot after the third.
CREATE OR REPLACE FUNCTION deal_sets.has_telephone_number(p_words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT p_words ~ '([0-9][^A-Za-z0-9]*){10}|[0-9]{3}[-.][0-9]{4}' $$;

-- Returns whether the part is a number of five digits or more, or a ZIP+4 code, or contains five
-- digits after the code of a state.
CREATE OR REPLACE FUNCTION deal_sets.has_zip_code(p_part text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_part COLLATE "C" ~* ('^[^a-z0-9]*[0-9]{5,}([^a-z0-9]+[0-9]{4})?[^a-z0-9]*$|(?<![a-z0-9])('
    'AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|'
    'OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY)[^a-z0-9]*[0-9]{5}')
$$;

-- Returns whether the words contain a word of at least eleven letters and digits, four of them
-- digits. Listings contain whole VINs and the beginnings of VINs.
CREATE OR REPLACE FUNCTION deal_sets.has_vin(p_words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_words ~ '(^|[^A-Za-z0-9])(?=[A-Za-z0-9]{11})([A-Za-z]*[0-9]){4}'
$$;

-- Returns the words twice, the second time with a blank where a change from lower to upper case
-- ends a part of a host, as in "lake.com" that is followed by "Call" without a blank.
CREATE OR REPLACE FUNCTION deal_sets.with_ended_hosts(p_words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_words || ' ' || regexp_replace(p_words, '(\.[A-Za-z][a-z]*)(?=[A-Z])', '\1 ', 'g')
$$;

-- Returns whether the words contain a URL or a host with an ending that is common for hosts and
-- rare in descriptions of cars.
CREATE OR REPLACE FUNCTION deal_sets.has_host(p_words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT deal_sets.with_ended_hosts(p_words) COLLATE "C"
    ~* '//|www\.|[a-z0-9]\.(com|net|org|us|io|co|cars|biz|info)($|[^a-z0-9])'
$$;

-- Returns whether the words contain a host with another ending of dealerships, which counts only
-- after a word of at least eight letters and digits: "6-Spd.Auto" is no host.
CREATE OR REPLACE FUNCTION deal_sets.has_long_host(p_words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT deal_sets.with_ended_hosts(p_words) COLLATE "C"
    ~* '[a-z0-9]{8}\.(auto|car|dealer|shop|store|app|dev|ca)($|[^a-z0-9])'
$$;

-- Returns whether the part consists of 1 to 100 plain characters and contains no telephone number,
-- ZIP code, VIN or host. This also excludes postal, web and e-mail addresses.
CREATE OR REPLACE FUNCTION deal_sets.has_shape_of_car_words(p_part text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_part ~ '^[A-Za-z0-9 .,+/&''"()#:!*_[\]|-]{1,100}$' AND NOT (
    deal_sets.has_telephone_number(p_part) OR deal_sets.has_zip_code(p_part) OR deal_sets.has_vin(p_part)
    OR deal_sets.has_host(p_part) OR deal_sets.has_long_host(p_part))
$$;

-- Returns whether the part states that its value is not known: a sign, such as "-", or a word that
-- suppliers use. The trims "+" and "!" exist.
CREATE OR REPLACE FUNCTION deal_sets.is_unknown(p_part text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_part NOT IN ('+', '!')
    AND p_part COLLATE "C" ~* '^[^a-z0-9]*(n/a|nan|null|none|undefined|unknown|tbd)?[^a-z0-9]*$'
$$;

-- Returns whether the text of a label contains a telephone number of the North American form:
-- groups of 3, 3 and 4 digits with blanks or punctuation between them, or none, after an optional
-- 1.
CREATE OR REPLACE FUNCTION deal_sets.has_grouped_telephone_number(p_words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_words ~ ('(^|[^0-9])(1[^A-Za-z0-9]*)?[2-9][0-9]{2}[^A-Za-z0-9]*[2-9][0-9]{2}[^A-Za-z0-9]*[0-9]{4}'
    '($|[^0-9])')
$$;

-- Returns whether the check digit (the ninth character) of a VIN in upper case is right.
CREATE OR REPLACE FUNCTION deal_sets.has_right_check_digit(p_vin text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT substr(p_vin, 9, 1)
    = substr('0123456789X', 1 + sum(weight * substr(digits, place::integer, 1)::integer)::integer % 11, 1)
  FROM translate(p_vin, 'ABCDEFGHJKLMNPRSTUVWXYZ', '12345678123457923456789') digits,
    unnest('{8,7,6,5,4,3,2,10,0,9,8,7,6,5,4,3,2}'::integer[]) WITH ORDINALITY w (weight, place)
$$;

-- Returns whether whole words of the text, without blanks and punctuation, form a VIN: with the
-- code of a model year as its tenth character, four digits at its end and the right check digit.
CREATE OR REPLACE FUNCTION deal_sets.has_spread_vin(p_words text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  pieces text[];
  vin text;
BEGIN
  IF p_words !~ '([0-9][^A-Za-z0-9]*){4}($|[^A-Za-z0-9])' THEN RETURN false; END IF;
  pieces := regexp_split_to_array(upper(p_words COLLATE "C"), '[^A-Z0-9]+');
  FOR start IN 1..cardinality(pieces) LOOP
    vin := '';
    FOR i IN start..cardinality(pieces) LOOP
      vin := vin || pieces[i];
      EXIT WHEN char_length(vin) > 17;
      IF vin ~ '^[A-HJ-NPR-Z0-9]{9}[A-HJ-NPR-TV-Y1-9][A-HJ-NPR-Z0-9]{3}[0-9]{4}$' AND deal_sets.has_right_check_digit(vin) THEN RETURN true; END IF;
    END LOOP;
  END LOOP;
  RETURN false;
END $$;

-- Returns whether a label with these parts, as it is printed, identifies the dealership: by its
-- name, a telephone number, a VIN or a host. A part that is not shown is empty.
CREATE OR REPLACE FUNCTION deal_sets.identifies_dealership(
  p_color text, p_year text, p_model text, p_trim text, p_name_keys text[]
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  car text := btrim(p_model || ' ' || p_trim);
BEGIN
  RETURN deal_sets.names_dealership(deal_sets.name_key(p_color || p_year || car), p_name_keys)
    OR deal_sets.names_dealership(deal_sets.name_key(p_color || car), p_name_keys)
    -- A number can end with the year ("415 555 2026"), but not begin with it ("1992 300 1500").
    OR deal_sets.has_grouped_telephone_number(p_color || ' ' || CASE WHEN p_year = '' THEN car ELSE p_year END)
    OR deal_sets.has_grouped_telephone_number(car)
    OR deal_sets.has_spread_vin(car)
    -- A host can be divided at its dot.
    OR deal_sets.has_host(car || ' ' || p_model || p_trim)
    OR deal_sets.has_long_host(car || ' ' || p_model || p_trim);
END $$;

-- Returns make, model, trim and color as they may be shown. Each is null if it may not be shown.
CREATE OR REPLACE FUNCTION deal_sets.shown_parts(
  p_year integer, p_make text, p_model text, p_trim text, p_color text, p_name_keys text[],
  OUT make text, OUT model text, OUT trim_level text, OUT color text
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  parts text[] := ARRAY[p_make, p_model, p_trim, p_color];
  plain text[] := ARRAY['', '', '', ''];
  year text := coalesce(p_year::text, '');
  key text;
  -- The trim without the model that it repeats. A label may omit this model.
  rest text;
BEGIN
  FOR i IN 1..4 LOOP
    parts[i] := normalize(btrim(parts[i], E' \t\n\r'), NFC);
    -- A part is shown as it is, so one that has an entity with its semicolon is withheld. An entity
    -- without a semicolon ("Bob&#39s") is decoded, because it could hide a name or a number.
    plain[i] := deal_sets.without_entities(deal_sets.plain_letters(parts[i]));
    key := deal_sets.name_key(plain[i]);
    IF strpos(parts[i], ';') > 0 OR deal_sets.has_shape_of_car_words(plain[i]) IS NOT TRUE
      OR deal_sets.is_unknown(plain[i]) THEN
      plain[i] := '';
      parts[i] := NULL;
    -- A part that equals a make in the name of the dealership is exempt from the check of the name.
    ELSIF key = ANY (p_name_keys) AND deal_sets.is_make(key) THEN
      plain[i] := '';
    ELSIF deal_sets.names_dealership(key, p_name_keys) THEN
      plain[i] := '';
      parts[i] := NULL;
    END IF;
  END LOOP;
  rest := CASE WHEN starts_with(lower(plain[3] || ' ' COLLATE "C"), lower(plain[2] || ' ' COLLATE "C"))
    THEN substr(plain[3], char_length(plain[2]) + 2) ELSE plain[3] END;
  -- What several parts reveal together is withheld with the trim, and if that is not enough, also
  -- with the color and the model.
  IF deal_sets.names_dealership(deal_sets.name_key(plain[1] || plain[2] || plain[3]), p_name_keys)
    OR deal_sets.identifies_dealership(plain[4], year, plain[2], plain[3], p_name_keys)
    OR rest <> plain[3] AND deal_sets.identifies_dealership(plain[4], year, plain[2], rest, p_name_keys) THEN
    parts[3] := NULL;
    IF deal_sets.identifies_dealership(plain[4], year, plain[2], '', p_name_keys) THEN
      parts[4] := NULL;
    END IF;
    IF deal_sets.names_dealership(deal_sets.name_key(plain[1] || plain[2]), p_name_keys)
      OR deal_sets.identifies_dealership('', year, plain[2], '', p_name_keys) THEN
      parts[2] := NULL;
    END IF;
  END IF;
  make := parts[1];
  model := parts[2];
  trim_level := parts[3];
  color := parts[4];
END $$;

-- Returns the mileage as it may be shown. A mileage above a million counts as unknown.
CREATE OR REPLACE FUNCTION deal_sets.shown_mileage(p_miles integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN p_miles <= 1000000 THEN p_miles END $$;

-- Returns the list price as it may be shown. A price below one dollar, or above ten million
-- dollars, counts as unknown.
CREATE OR REPLACE FUNCTION deal_sets.shown_list_price(p_cents bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN p_cents BETWEEN 100 AND 1000000000 THEN p_cents END $$;

-- Returns the key of a dealership's advisory lock. A writer that decides what is shown of a price
-- check, or makes the dealership's name visible, holds the lock in shared mode. A writer that
-- renames the dealership holds it in exclusive mode, so the later of the two sees the change of the
-- earlier one. All dealerships share 1,024 locks, so that a large import does not exceed the
-- server's lock table.
CREATE OR REPLACE FUNCTION deal_sets.dealership_lock_key(p_dealership_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 4611686018427387904 + (hashtextextended(p_dealership_id::text, 0) & 1023)
$$;

-- Writes the shown_* columns. They are decided again when the dealership, the listing or they
-- themselves are written, so that no writer can set them to anything else.
CREATE OR REPLACE FUNCTION deal_sets.set_shown_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  has_equal_listing CONSTANT boolean := TG_OP = 'UPDATE' AND (
    NEW.dealership_id, NEW.listing_year, NEW.listing_make, NEW.listing_model, NEW.listing_trim,
    NEW.listing_exterior_color, NEW.listing_mileage, NEW.listing_listed_at_cents, NEW.shown_year, NEW.shown_make,
    NEW.shown_model, NEW.shown_trim, NEW.shown_exterior_color, NEW.shown_mileage, NEW.shown_listed_at_cents
  ) IS NOT DISTINCT FROM (
    OLD.dealership_id, OLD.listing_year, OLD.listing_make, OLD.listing_model, OLD.listing_trim,
    OLD.listing_exterior_color, OLD.listing_mileage, OLD.listing_listed_at_cents, OLD.shown_year, OLD.shown_make,
    OLD.shown_model, OLD.shown_trim, OLD.shown_exterior_color, OLD.shown_mileage, OLD.shown_listed_at_cents
  );
  -- is_seen of the new row is computed after this trigger.
  becomes_seen CONSTANT boolean := TG_OP = 'UPDATE' AND NOT OLD.is_seen
    AND (NEW.unlocked_at IS NOT NULL OR NEW.chosen_at IS NOT NULL);
  dealership record;
  shown record;
BEGIN
  IF has_equal_listing AND NOT becomes_seen AND NEW.shown_verified_partner = OLD.shown_verified_partner THEN
    RETURN NEW;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(NEW.dealership_id));
  SELECT d.name, d.verified_partner INTO dealership FROM deal_sets.dealership d WHERE d.id = NEW.dealership_id;
  NEW.shown_verified_partner := coalesce(dealership.verified_partner, false);
  IF has_equal_listing THEN RETURN NEW; END IF;
  -- On a logical replica, the price check can arrive before its dealership. In that case, the text
  -- of the listing is withheld.
  SELECT s.* INTO shown FROM deal_sets.shown_parts(NEW.listing_year, NEW.listing_make, NEW.listing_model,
    NEW.listing_trim, NEW.listing_exterior_color, deal_sets.name_keys(dealership.name)) s
  WHERE dealership.name IS NOT NULL;
  NEW.shown_year := NEW.listing_year;
  NEW.shown_make := shown.make;
  NEW.shown_model := shown.model;
  NEW.shown_trim := shown.trim_level;
  NEW.shown_exterior_color := shown.color;
  NEW.shown_mileage := deal_sets.shown_mileage(NEW.listing_mileage);
  NEW.shown_listed_at_cents := deal_sets.shown_list_price(NEW.listing_listed_at_cents);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER _100_set_shown BEFORE INSERT OR UPDATE ON deal_sets.price_check
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_shown_listing();

-- Renews the price checks of dealerships whose name has changed: those whose shown parts or tokens
-- of questions differ under the new name, and those whose buyer sees the name. A request gets a new
-- stamp only for a row that its buyer has unlocked or chosen; a hidden row is recomputed without a
-- stamp, because one stamp for all of them would reveal which rows belong to one dealership.
--
-- The rows are locked and changed in the order in which all writers lock requests.
CREATE OR REPLACE FUNCTION deal_sets.renew_price_checks(p_dealership_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  affected record;
BEGIN
  PERFORM pg_advisory_xact_lock(k.key)
  FROM (SELECT DISTINCT deal_sets.dealership_lock_key(i.id) AS key FROM unnest(p_dealership_ids) i (id) ORDER BY key) k;
  FOR affected IN
    -- Materialized, so that the keys are computed once for each dealership.
    WITH named AS MATERIALIZED (
      SELECT d.id, deal_sets.name_keys(d.name) AS keys FROM deal_sets.dealership d WHERE d.id = ANY (p_dealership_ids)
    )
    SELECT p.buyer_id, p.id, p.request_id, p.deal_set_id, p.is_seen,
      s.make, s.model, s.trim_level, s.color,
      (p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color)
        IS DISTINCT FROM (s.make, s.model, s.trim_level, s.color) AS differs
    FROM named d
    JOIN deal_sets.price_check p ON p.dealership_id = d.id
    CROSS JOIN LATERAL deal_sets.shown_parts(
      p.listing_year, p.listing_make, p.listing_model, p.listing_trim, p.listing_exterior_color, d.keys) s
    WHERE p.is_seen
      OR (p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color)
        IS DISTINCT FROM (s.make, s.model, s.trim_level, s.color)
      OR EXISTS (
        SELECT 1 FROM deal_sets.question q
        CROSS JOIN LATERAL deal_sets.shown_tokens(q.prompt_id, q.category, q.answer_mode, d.keys) t
        WHERE q.buyer_id = p.buyer_id AND q.request_id = p.request_id AND q.price_check_id = p.id
          AND (q.prompt_id, q.category, q.answer_mode) IS DISTINCT FROM (t.prompt_id, t.category, t.answer_mode))
      -- At REPEATABLE READ and above, all rows are locked, so that a concurrent change of any of
      -- them ends this transaction with 40001.
      OR current_setting('transaction_isolation') <> 'read committed'
    ORDER BY p.buyer_id, p.request_id, p.id
    FOR NO KEY UPDATE OF p
  LOOP
    IF affected.differs THEN
      UPDATE deal_sets.price_check p
      SET shown_make = affected.make, shown_model = affected.model, shown_trim = affected.trim_level,
        shown_exterior_color = affected.color
      WHERE p.buyer_id = affected.buyer_id AND p.id = affected.id;
    END IF;
    PERFORM deal_sets.renew_tokens(affected.buyer_id, ARRAY[affected.id]);
    IF affected.is_seen THEN
      PERFORM deal_sets.feed_mark_request(affected.buyer_id, affected.request_id,
        CASE WHEN affected.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END);
    END IF;
  END LOOP;
END $$;

-- Renews the partner flag of the price checks of dealerships. It moves no request.
CREATE OR REPLACE FUNCTION deal_sets.renew_partner_flags(p_dealership_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(k.key)
  FROM (SELECT DISTINCT deal_sets.dealership_lock_key(i.id) AS key FROM unnest(p_dealership_ids) i (id) ORDER BY key) k;
  UPDATE deal_sets.price_check p SET shown_verified_partner = w.is_partner
  FROM (
    SELECT q.buyer_id, q.id, coalesce(d.verified_partner, false) AS is_partner
    FROM deal_sets.price_check q JOIN deal_sets.dealership d ON d.id = q.dealership_id
    WHERE q.dealership_id = ANY (p_dealership_ids) AND q.shown_verified_partner <> coalesce(d.verified_partner, false)
    ORDER BY q.buyer_id, q.request_id, q.id
    FOR NO KEY UPDATE OF q
  ) w
  WHERE p.buyer_id = w.buyer_id AND p.id = w.id;
END $$;

CREATE OR REPLACE FUNCTION deal_sets.renew_dealership() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.name <> NEW.name THEN PERFORM deal_sets.renew_price_checks(ARRAY[NEW.id]); END IF;
  IF coalesce(OLD.verified_partner, false) <> coalesce(NEW.verified_partner, false) THEN
    PERFORM deal_sets.renew_partner_flags(ARRAY[NEW.id]);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER _500_renew AFTER UPDATE ON deal_sets.dealership FOR EACH ROW
  WHEN ((OLD.name, coalesce(OLD.verified_partner, false)) IS DISTINCT FROM (NEW.name, coalesce(NEW.verified_partner, false)))
  EXECUTE FUNCTION deal_sets.renew_dealership();

-- Repeats the decision for those listings of a buyer's requests whose stored result differs from
-- that of the current rules. Their requests get a new stamp. A rebuild calls it.
CREATE OR REPLACE FUNCTION deal_sets.recheck_listings(p_buyer_id uuid, p_request_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  request record;
BEGIN
  FOR request IN
    WITH changed AS (
      UPDATE deal_sets.price_check p
      SET shown_year = p.listing_year, shown_make = s.make, shown_model = s.model, shown_trim = s.trim_level,
        shown_exterior_color = s.color, shown_mileage = deal_sets.shown_mileage(p.listing_mileage),
        shown_listed_at_cents = deal_sets.shown_list_price(p.listing_listed_at_cents)
      FROM deal_sets.price_check o
      JOIN deal_sets.dealership d ON d.id = o.dealership_id
      CROSS JOIN LATERAL deal_sets.shown_parts(o.listing_year, o.listing_make, o.listing_model, o.listing_trim,
        o.listing_exterior_color, deal_sets.name_keys(d.name)) s
      WHERE p.buyer_id = p_buyer_id AND p.request_id = ANY (p_request_ids)
        AND o.buyer_id = p_buyer_id AND o.id = p.id AND (
          p.shown_year, p.shown_mileage, p.shown_listed_at_cents,
          p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color
        ) IS DISTINCT FROM (
          p.listing_year::integer, deal_sets.shown_mileage(p.listing_mileage),
          deal_sets.shown_list_price(p.listing_listed_at_cents), s.make, s.model, s.trim_level, s.color
        )
      RETURNING p.request_id, p.deal_set_id
    )
    SELECT DISTINCT c.request_id AS id, c.deal_set_id IS NULL AS is_single FROM changed c ORDER BY 1, 2
  LOOP
    PERFORM deal_sets.feed_mark_request(p_buyer_id, request.id, CASE WHEN request.is_single THEN 'single' ELSE 'deal_set' END);
  END LOOP;
  UPDATE deal_sets.price_check p SET shown_verified_partner = coalesce(d.verified_partner, false)
  FROM deal_sets.dealership d
  WHERE p.buyer_id = p_buyer_id AND p.request_id = ANY (p_request_ids) AND d.id = p.dealership_id
    AND p.shown_verified_partner <> coalesce(d.verified_partner, false);
END $$;

-- What identifies a dealership, and an index by which a text finds the dealerships it may identify, however
-- many there are.
--
-- Fills internal columns of `dealership` and an internal table: no request is stamped. The trigger that
-- follows a changed dealership is disabled meanwhile: what clients see is refreshed, and stamped, by
-- `deal-sets rebuild`.

-- The name in folded words, if it has two to eight and is no term of cars: such a name is recognised in
-- listings of every request.
ALTER TABLE dealership ADD COLUMN record_name text;

-- Where an identifier is looked up: whole identifiers by their first 16 characters, embedded ones by the ten
-- in their middle. Names begin alike ("Volkswagen of ..."), and often end alike; their middles differ.
CREATE TABLE dealership_identifier (
  anchor text COLLATE "C" NOT NULL,
  is_embedded boolean NOT NULL,
  dealership_id uuid NOT NULL REFERENCES dealership (id) ON DELETE CASCADE,
  PRIMARY KEY (anchor, is_embedded, dealership_id)
);
CREATE INDEX dealership_identifier_dealership ON dealership_identifier (dealership_id);

-- Folded words of a name without the legal form at its end, as long as two words remain.
CREATE FUNCTION without_legal_form(words text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE
    WHEN position(' ' IN words) = 0 OR short = words THEN words
    -- "Smith & Co": without its end the name would be no name.
    WHEN short ~ ' and$' THEN words
    WHEN position(' ' IN short) > 0 THEN short
    ELSE array_to_string((string_to_array(words, ' '))[1:2], ' ') END
  FROM regexp_replace(words, '( (llc|inc|corp|co|ltd|gmbh))+$', '') AS short
$$;

-- The domain a host is registered under: its last two labels, or three after a general second label.
CREATE FUNCTION registered_domain(host text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE
    -- An address in numbers has no domain.
    WHEN labels[n] !~ '[^0-9]' THEN NULL
    WHEN n >= 3 AND labels[n - 1] IN ('co', 'com', 'net', 'org', 'gov', 'ac', 'edu')
      THEN array_to_string(labels[n - 2:], '.')
    WHEN n >= 2 THEN array_to_string(labels[n - 1:], '.') END
  FROM (SELECT string_to_array(rtrim(host, '.'), '.') AS labels) l, LATERAL (SELECT cardinality(labels) AS n) c
$$;

-- The domain of an e-mail address, unless everyone may have an address there.
CREATE FUNCTION own_mail_domain(email text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT domain FROM substring(lower(listing_text(plain_text(email))) FROM '@([^@\s>]+\.[^@\s>.]+)') AS domain
  WHERE domain !~ ('^((gmail|googlemail|yahoo|ymail|rocketmail|outlook|hotmail|live|msn|aol|aim|icloud|me|mac|mail|email'
      '|gmx|proton|protonmail|zoho|fastmail|hey|comcast|verizon|att|sbcglobal|bellsouth|cox|charter|earthlink'
      '|juno|netzero|optonline|frontier|windstream|centurylink|roadrunner)\.[a-z.]+|pm\.me|att\.net|rr\.com|yandex\..+|web\.de)$')
$$;

CREATE OR REPLACE FUNCTION dealership_takes_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  name_words text := without_legal_form(folded_words(NEW.name));
  name_key text := replace(name_words, ' ', '');
  name_length integer := cardinality(string_to_array(name_words, ' '));
  host text := substring(lower(listing_text(plain_text(NEW.website)))
    FROM '^(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)');
  email_key text := folded(NEW.email);
  phone_key text := folded(NEW.phone);
  digits text := regexp_replace(phone_key, '[^0-9]', '', 'g');
BEGIN
  IF name_key = '' THEN name_key := bare_signs(NEW.name); END IF;
  -- The national number: callers leave the country code out, and an extension is not the number.
  IF char_length(digits) > 10 THEN
    digits := left(regexp_replace(digits, '^0*1?', ''), 10);
  END IF;
  -- A number that is spelled in letters is compared as it is spelled.
  IF phone_key !~ '[[:alpha:]]' OR phone_key !~ '[0-9]{3}' OR char_length(phone_key) < 7 THEN
    phone_key := NULL;
  END IF;
  NEW.whole_keys := ARRAY(
    SELECT DISTINCT key FROM unnest(ARRAY[name_key, folded(host), folded(registered_domain(host)), email_key,
      folded(own_mail_domain(NEW.email)),
      regexp_replace(phone_key, '^1', ''), CASE WHEN char_length(digits) >= 7 THEN digits END]) AS key WHERE key <> '');
  NEW.loose_keys := ARRAY(
    SELECT DISTINCT key FROM unnest(ARRAY[
      CASE WHEN name_length > 1 AND char_length(name_key) >= 10 THEN name_key END,
      CASE WHEN char_length(email_key) >= 10 THEN email_key END,
      CASE WHEN char_length(digits) = 10 THEN digits END]) AS key WHERE key <> '');
  NEW.record_name := CASE
    WHEN name_length BETWEEN 2 AND 8 AND NOT EXISTS (SELECT FROM car_term t WHERE t.words = name_words COLLATE "C")
    THEN name_words END;
  RETURN NEW;
END $$;
DROP TRIGGER dealership_takes_keys ON dealership;
CREATE TRIGGER dealership_takes_keys
  BEFORE INSERT OR UPDATE OF name, phone, email, website, whole_keys, loose_keys, record_name ON dealership
  FOR EACH ROW EXECUTE FUNCTION dealership_takes_keys();
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_takes_keys;

CREATE FUNCTION set_dealership_identifiers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.whole_keys, NEW.loose_keys) IS NOT DISTINCT FROM (OLD.whole_keys, OLD.loose_keys) THEN RETURN NULL; END IF;
    DELETE FROM dealership_identifier i WHERE i.dealership_id = NEW.id;
  END IF;
  INSERT INTO dealership_identifier (anchor, is_embedded, dealership_id)
  SELECT left(k, 16), false, NEW.id FROM unnest(NEW.whole_keys) AS k
  UNION
  SELECT substr(k, (char_length(k) - 10) / 2 + 1, 10), true, NEW.id FROM unnest(NEW.loose_keys) AS k;
  RETURN NULL;
END $$;
-- Its name puts it before dealership_changed, which compares listings by the new identifiers.
CREATE TRIGGER dealership_a_identifiers AFTER INSERT OR UPDATE ON dealership
  FOR EACH ROW EXECUTE FUNCTION set_dealership_identifiers();
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_a_identifiers;

ALTER TABLE dealership DISABLE TRIGGER dealership_changed, DISABLE TRIGGER dealership_a_identifiers;
UPDATE dealership SET whole_keys = whole_keys;
INSERT INTO dealership_identifier (anchor, is_embedded, dealership_id)
SELECT left(k, 16), false, d.id FROM dealership d, unnest(d.whole_keys) AS k
UNION
SELECT substr(k, (char_length(k) - 10) / 2 + 1, 10), true, d.id FROM dealership d, unnest(d.loose_keys) AS k;
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_changed, ENABLE ALWAYS TRIGGER dealership_a_identifiers;

-- The anchors at which identifiers in folded text are looked up; lines are apart from each other. In a
-- message an embedded identifier is recognised inside one word, in a listing anywhere in a line.
CREATE FUNCTION identifier_anchors(lines text, is_message boolean) RETURNS TABLE (anchor text, is_embedded boolean)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  line text;
  words text[];
  run text;
BEGIN
  is_embedded := false;
  FOREACH line IN ARRAY string_to_array(lines, E'\n') LOOP
    words := string_to_array(line, ' ');
    FOR from_word IN 1..cardinality(words) LOOP
      run := '';
      FOR to_word IN from_word..cardinality(words) LOOP
        run := run || words[to_word];
        anchor := left(run, 16);
        RETURN NEXT;
        EXIT WHEN char_length(run) >= 16;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN QUERY
    SELECT substr(run_of.text, place, 10), true
    FROM regexp_split_to_table(
        CASE WHEN is_message THEN lines ELSE replace(lines, ' ', '') END, '[ \n]') AS run_of (text),
      generate_series(1, char_length(run_of.text) - 9) AS place;
END $$;

-- The identifiers that may occur in each of the texts: those of dealerships of its request, and the names of
-- others. Found by the index, so the work grows with the texts alone; what is found is still to be compared.
CREATE FUNCTION find_identifiers(buyer_ids uuid[], request_ids uuid[], texts text[], is_message boolean)
RETURNS TABLE (place bigint, whole_keys text[], loose_keys text[], record_names text[])
LANGUAGE sql STABLE SET search_path = public, pg_temp SET work_mem = '32MB' AS $$
  WITH subject AS MATERIALIZED (
    SELECT * FROM unnest(buyer_ids, request_ids, texts) WITH ORDINALITY AS s (buyer_id, request_id, lines, place)
  ), probe AS MATERIALIZED (
    SELECT s.place, a.anchor, a.is_embedded
    FROM subject s CROSS JOIN LATERAL identifier_anchors(s.lines, is_message) a
  ), found AS MATERIALIZED (
    SELECT p.anchor, p.is_embedded, i.dealership_id
    FROM (SELECT DISTINCT anchor, is_embedded FROM probe) p
    -- OFFSET 0: always by the index, never by reading all identifiers for one listing.
    CROSS JOIN LATERAL (
      SELECT i.dealership_id FROM dealership_identifier i
      WHERE i.anchor = p.anchor COLLATE "C" AND i.is_embedded = p.is_embedded OFFSET 0
    ) i
  ), candidate AS MATERIALIZED (
    SELECT DISTINCT s.place, s.buyer_id, s.request_id, f.dealership_id
    FROM found f JOIN probe p ON p.anchor = f.anchor AND p.is_embedded = f.is_embedded
    JOIN subject s ON s.place = p.place
  ), member AS MATERIALIZED (
    SELECT DISTINCT r.buyer_id, r.request_id, m.dealership_id
    FROM (SELECT DISTINCT buyer_id, request_id FROM candidate) r
    CROSS JOIN LATERAL (
      SELECT pc.dealership_id FROM price_check pc
      WHERE pc.buyer_id = r.buyer_id AND pc.request_id = r.request_id OFFSET 0
    ) m
  ), known AS (
    SELECT c.place, m.dealership_id IS NOT NULL AS is_member, d.whole_keys, d.loose_keys, d.record_name
    FROM candidate c
    CROSS JOIN LATERAL (
      SELECT d.whole_keys, d.loose_keys, d.record_name FROM dealership d WHERE d.id = c.dealership_id OFFSET 0
    ) d
    LEFT JOIN member m ON m.buyer_id = c.buyer_id AND m.request_id = c.request_id AND m.dealership_id = c.dealership_id
    WHERE m.dealership_id IS NOT NULL OR d.record_name IS NOT NULL
  )
  SELECT k.place,
    coalesce(array_agg(DISTINCT w.key) FILTER (WHERE w.kind = 1), '{}'),
    coalesce(array_agg(DISTINCT w.key) FILTER (WHERE w.kind = 2), '{}'),
    coalesce(array_agg(DISTINCT w.key) FILTER (WHERE w.kind = 3), '{}')
  FROM known k
  CROSS JOIN LATERAL (
    SELECT unnest(k.whole_keys), 1 WHERE k.is_member
    UNION ALL SELECT unnest(k.loose_keys), 2 WHERE k.is_member
    UNION ALL SELECT k.record_name, 3 WHERE k.record_name IS NOT NULL
  ) AS w (key, kind)
  GROUP BY k.place
$$;

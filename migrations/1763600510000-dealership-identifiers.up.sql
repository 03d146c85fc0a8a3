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
  -- Its first column lets the next whole anchor be found without stepping over embedded ones.
  PRIMARY KEY (is_embedded, anchor, dealership_id)
);
CREATE INDEX dealership_identifier_dealership ON dealership_identifier (dealership_id);
-- Digits that a mileage or a price may be, and that no telephone number with its area code is: nearly none.
CREATE INDEX dealership_identifier_number ON dealership_identifier (anchor)
  WHERE NOT is_embedded AND anchor ~ '^[0-9]{1,9}$';

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

-- Of folded words, the runs that begin with the given one, joined: each may be a whole identifier.
CREATE FUNCTION runs_from(words text[], from_word integer) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  run text := '';
  runs text[] := '{}';
BEGIN
  FOR to_word IN from_word..cardinality(words) LOOP
    run := run || words[to_word];
    runs := runs || left(run, 16);
    EXIT WHEN char_length(run) >= 16;
  END LOOP;
  RETURN runs;
END $$;

-- The identifiers that may occur in each of the folded texts, whose lines are apart from each other: those of
-- dealerships of its request, and the names of others. In a message an embedded identifier is recognised
-- inside one word, in a listing anywhere in a line. Found by the index, so the work grows with the texts and
-- the members of their requests, not with the dealerships that share a name; what is found is still to be
-- compared. Listings of one statement repeat each other: each line, word and anchor is looked up once.
--
-- The planner knows nothing of the sizes of arrays: left to itself it may compare every text with every
-- identifier. Where an index is meant, the lateral subqueries leave it no other choice than a loop.
CREATE FUNCTION find_identifiers(buyer_ids uuid[], request_ids uuid[], texts text[], is_message boolean)
RETURNS TABLE (place bigint, whole_keys text[], loose_keys text[], record_names text[])
LANGUAGE sql STABLE
SET search_path = public, pg_temp SET work_mem = '32MB' SET enable_nestloop = off SET jit = off AS $$
  WITH subject AS MATERIALIZED (
    SELECT * FROM unnest(buyer_ids, request_ids, texts) WITH ORDINALITY AS s (buyer_id, request_id, lines, place)
  ), line AS MATERIALIZED (
    SELECT l.line, string_to_array(l.line, ' ') AS words, row_number() OVER () AS n
    FROM (SELECT DISTINCT l.line FROM subject s, string_to_table(s.lines, E'\n') AS l (line) WHERE l.line <> '') l
  ), word AS MATERIALIZED (
    SELECT l.n, w.word, w.at::integer FROM line l, unnest(l.words) WITH ORDINALITY AS w (word, at)
  ), beginning AS MATERIALIZED (
    -- Words with which some identifier begins: the first anchor that is not before the word begins with it.
    SELECT w.word FROM (SELECT DISTINCT word FROM word) w
    CROSS JOIN LATERAL (
      SELECT i.anchor FROM dealership_identifier i
      WHERE NOT i.is_embedded AND i.anchor >= left(w.word, 16) COLLATE "C" ORDER BY i.anchor LIMIT 1
    ) i
    WHERE starts_with(i.anchor, left(w.word, 16))
  ), anchor_of AS MATERIALIZED (
    SELECT w.n, a.anchor, false AS is_embedded
    FROM beginning b JOIN word w ON w.word = b.word JOIN line l ON l.n = w.n
    CROSS JOIN LATERAL unnest(runs_from(l.words, w.at)) AS a (anchor)
    UNION ALL
    SELECT piece.n, substr(piece.text, at, 10), true
    FROM (
      -- In pieces: substr() counts characters from the beginning.
      SELECT run.n, substr(run.text, piece_at, 109) AS text
      FROM (
        SELECT l.n, replace(l.line, ' ', '') AS text FROM line l WHERE NOT is_message
        UNION ALL SELECT w.n, w.word FROM word w WHERE is_message AND char_length(w.word) >= 10
      ) AS run, generate_series(1, char_length(run.text) - 9, 100) AS piece_at
      OFFSET 0
    ) AS piece, generate_series(1, char_length(piece.text) - 9) AS at
  ), found AS MATERIALIZED (
    SELECT p.anchor, p.is_embedded, i.dealership_id
    FROM (SELECT DISTINCT anchor, is_embedded FROM anchor_of) p
    -- OFFSET 0: always by the index, never by reading all identifiers for one listing.
    CROSS JOIN LATERAL (
      SELECT i.dealership_id FROM dealership_identifier i
      WHERE i.anchor = p.anchor COLLATE "C" AND i.is_embedded = p.is_embedded OFFSET 0
    ) i
  ), probe AS MATERIALIZED (
    -- Where what was found is: the texts of the few lines that have it.
    SELECT s.place, s.buyer_id, s.request_id, h.anchor, h.is_embedded
    FROM (
      SELECT DISTINCT l.line, a.anchor, a.is_embedded
      FROM (SELECT DISTINCT anchor, is_embedded FROM found) f
      JOIN anchor_of a ON a.anchor = f.anchor AND a.is_embedded = f.is_embedded
      JOIN line l ON l.n = a.n
    ) h
    JOIN (
      SELECT s.place, s.buyer_id, s.request_id, l.line
      FROM subject s, string_to_table(s.lines, E'\n') AS l (line)
    ) s ON s.line = h.line
  ), dealer AS MATERIALIZED (
    SELECT f.dealership_id, d.whole_keys, d.loose_keys, d.record_name
    FROM (SELECT DISTINCT dealership_id FROM found) f
    CROSS JOIN LATERAL (
      SELECT d.whole_keys, d.loose_keys, d.record_name FROM dealership d WHERE d.id = f.dealership_id OFFSET 0
    ) d
  ), member AS MATERIALIZED (
    SELECT DISTINCT r.buyer_id, r.request_id, m.dealership_id
    FROM (SELECT DISTINCT buyer_id, request_id FROM probe) r
    CROSS JOIN LATERAL (
      SELECT pc.dealership_id FROM price_check pc
      WHERE pc.buyer_id = r.buyer_id AND pc.request_id = r.request_id OFFSET 0
    ) m
  ), of_member AS MATERIALIZED (
    SELECT DISTINCT p.place, m.dealership_id
    FROM member m
    JOIN found f ON f.dealership_id = m.dealership_id
    JOIN probe p ON p.buyer_id = m.buyer_id AND p.request_id = m.request_id
      AND p.anchor = f.anchor AND p.is_embedded = f.is_embedded
  ), recorded AS MATERIALIZED (
    -- Many dealerships may share a name: each name counts once.
    SELECT DISTINCT f.anchor, f.is_embedded, d.record_name
    FROM found f JOIN dealer d ON d.dealership_id = f.dealership_id
    WHERE d.record_name IS NOT NULL AND NOT f.is_embedded
      AND f.anchor = left(replace(d.record_name, ' ', ''), 16)
  ), known AS (
    SELECT o.place, w.key, w.kind
    FROM of_member o
    JOIN dealer d ON d.dealership_id = o.dealership_id
    CROSS JOIN LATERAL (
      SELECT unnest(d.whole_keys), 1 UNION ALL SELECT unnest(d.loose_keys), 2
    ) AS w (key, kind)
    UNION
    SELECT p.place, r.record_name, 3
    FROM recorded r JOIN probe p ON p.anchor = r.anchor AND p.is_embedded = r.is_embedded
  )
  SELECT k.place,
    coalesce(array_agg(k.key) FILTER (WHERE k.kind = 1), '{}'),
    coalesce(array_agg(k.key) FILTER (WHERE k.kind = 2), '{}'),
    coalesce(array_agg(k.key) FILTER (WHERE k.kind = 3), '{}')
  FROM known k
  GROUP BY k.place
$$;

-- Listings are compared with identifiers that an index finds, only the listings that a change concerns, and
-- with patterns. Questions, drafts and the requested car are compared too.
--
-- Adds columns that hold what clients see, and leaves them empty for rows that exist: no request is stamped
-- here. `deal-sets rebuild` fills them through clean_listings() and stamps each request that changes. Versions
-- of the service that do not know the columns keep working.

-- The words as they are shown while the row is hidden; null when nothing in them had to be replaced. Of a
-- draft only the beginning is kept: a preview never needs more.
ALTER TABLE question ADD COLUMN masked_text text;
ALTER TABLE draft ADD COLUMN masked_body text;
-- Whether the requested year, make and model carry an identifier of a dealership.
ALTER TABLE deal_set ADD COLUMN car_names_dealership boolean NOT NULL DEFAULT false;
GRANT SELECT (car_names_dealership) ON deal_set TO deal_sets_assistant;
GRANT SELECT (car_names_dealership) ON deal_set TO deal_sets_reader;
GRANT SELECT (masked_text) ON question TO deal_sets_reader;
GRANT SELECT (masked_body) ON draft TO deal_sets_reader;

-- The record's own VIN, URL and image URL, from eight folded characters on.
CREATE FUNCTION own_identifiers(vin text, url text, image_url text) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN coalesce(vin, url, image_url) IS NULL THEN '{}' ELSE ARRAY(
    SELECT DISTINCT k FROM unnest(ARRAY[folded(vin),
      folded(url), folded(regexp_replace(lower(plain_text(url)), '^\s*[a-z][a-z0-9+.-]*://(www\.)?', '')),
      folded(image_url), folded(regexp_replace(lower(plain_text(image_url)), '^\s*[a-z][a-z0-9+.-]*://(www\.)?', ''))
    ]) AS k WHERE char_length(k) >= 8) END
$$;

-- Whether an identifier of a record's own may occur in folded text without blanks: its end is cheap to fold,
-- and does not occur in most texts. Where it is not plain ASCII, or has what may be a reference, the beginning
-- is looked at, without its scheme; the two characters after it may be changed by what follows them.
CREATE FUNCTION own_part_occurs(identifier text, squeezed text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN identifier IS NULL THEN false
    WHEN octet_length(identifier) = char_length(identifier) AND position('&' IN identifier) = 0
    THEN position(regexp_replace(lower(right(identifier, 8) COLLATE "C"), '[^a-z0-9]+', '', 'g') IN squeezed) > 0
    ELSE coalesce(position(regexp_replace(lower(substring(identifier
        FROM '^\s*(?:[A-Za-z][A-Za-z0-9+.-]*://(?:[wW]{3}\.)?)?(?![wW]{3}\.|[A-Za-z][A-Za-z0-9+.-]*://)'
          '([\x01-\x25\x27-\x7f]{10})[\x01-\x25\x27-\x7f]{2}') COLLATE "C"),
      '[^a-z0-9]+', '', 'g') IN squeezed) > 0, true) END
$$;

-- Whether one part of a listing identifies a dealership.
CREATE FUNCTION identifies_dealership(
  part text, whole_keys text[], loose_keys text[], record_names text[], own_keys text[]) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  plain text := plain_text(part);
  words text := folded_words(part);
  joined text := replace(words, ' ', '');
BEGIN
  IF part IS NULL THEN RETURN false; END IF;
  RETURN whole_keys <> '{}' AND names_dealership(part, whole_keys, loose_keys)
    OR EXISTS (SELECT FROM unnest(own_keys) AS o (key) WHERE position(o.key IN joined) > 0)
    OR EXISTS (
      SELECT FROM unnest(record_names) AS r (name)
      WHERE position(' ' || r.name || ' ' IN ' ' || words || ' ') > 0
        -- Written as one word, when it is too long to be another.
        OR char_length(replace(r.name, ' ', '')) >= 10
          AND position(' ' || replace(r.name, ' ', '') || ' ' IN ' ' || words || ' ') > 0)
    OR may_match_pattern(plain) AND (matches_contact_pattern(plain) OR plain ~ telephone_pattern());
END $$;

-- A message with the whole words replaced that identify a dealership; null when there are none. Words are
-- separated by blanks here, and punctuation after a replaced word stays.
CREATE FUNCTION masked_message(
  input text, whole_keys text[], loose_keys text[], record_names text[], own_keys text[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  blank CONSTANT text := '\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';
  tokens text[];
  gaps text[];
  words text[];
  -- The token of each word.
  places integer[];
  line text;
  hit boolean[];
  searched text[];
  joined_names text[];
  longest integer;
  piece text;
  at integer;
  masked text := substring(input FROM '^[' || blank || ']*');
  read_length integer := 0;
BEGIN
  SELECT array_agg(m[1] ORDER BY n), array_agg(m[2] ORDER BY n), array_agg(
      position('@' IN m[1]) > 0 OR position('/' IN m[1]) > 0 OR position('&' IN m[1]) > 0
      OR octet_length(m[1]) > char_length(m[1]) OR m[1] ~ '[wW]{3}\.|([0-9].*){4}' ORDER BY n)
    INTO tokens, gaps, hit
  FROM regexp_matches(masked_scope(input), '([^' || blank || ']+)([' || blank || ']*)', 'g') WITH ORDINALITY AS t (m, n);
  IF tokens IS NULL THEN RETURN NULL; END IF;
  hit := ARRAY(
    SELECT is_suspect AND matches_contact_pattern(plain_text(token))
    FROM unnest(tokens, hit) WITH ORDINALITY AS t (token, is_suspect, n) ORDER BY n);
  IF own_keys <> '{}' THEN
    hit := ARRAY(
      SELECT is_hit OR EXISTS (SELECT FROM unnest(own_keys) AS o (key) WHERE position(o.key IN folded(token)) > 0)
      FROM unnest(tokens, hit) WITH ORDINALITY AS t (token, is_hit, n) ORDER BY n);
  END IF;
  SELECT array_agg(word ORDER BY n, w), array_agg(n ORDER BY n, w) INTO words, places
  FROM unnest(tokens) WITH ORDINALITY AS t (token, n),
    unnest(string_to_array(folded_words(token), ' ')) WITH ORDINALITY AS f (word, w);

  line := array_to_string(words, '');
  IF line = ANY (whole_keys) OR words IS NULL AND bare_signs(masked_scope(input)) = ANY (whole_keys) THEN
    hit := array_fill(true, ARRAY[cardinality(tokens)]);
  END IF;
  -- A whole identifier's words may be divided in any way, a recorded name's only as it is written, or as one
  -- word that is too long to be another.
  searched := ARRAY(
    SELECT DISTINCT k FROM unnest(whole_keys || own_keys) AS k
    WHERE char_length(k) > 2 AND k COLLATE "und-x-icu" ~ '^[[:alnum:]]+$');
  joined_names := ARRAY(SELECT DISTINCT replace(r, ' ', '') FROM unnest(record_names) AS r);
  longest := (SELECT max(char_length(k)) FROM unnest(searched || joined_names) AS k);
  FOR from_word IN 1..coalesce(cardinality(words), 0) LOOP
    line := '';
    FOR to_word IN from_word..cardinality(words) LOOP
      line := line || words[to_word];
      EXIT WHEN char_length(line) > longest OR longest IS NULL;
      IF line = ANY (searched) OR line = ANY (joined_names) AND (
          from_word = to_word AND char_length(line) >= 10
          OR array_to_string(words[from_word:to_word], ' ') = ANY (record_names))
      THEN
        FOR word IN from_word..to_word LOOP
          hit[places[word]] := true;
        END LOOP;
      END IF;
    END LOOP;
  END LOOP;
  FOR at IN
    SELECT DISTINCT places[n] FROM unnest(words) WITH ORDINALITY AS w (word, n), unnest(loose_keys) AS k
    WHERE position(k IN word) > 0
  LOOP
    hit[at] := true;
  END LOOP;

  -- A telephone number may lie in several words.
  line := array_to_string(ARRAY(
    SELECT regexp_replace(plain_text(token), E'[\x01-\x03]', ' ', 'g') FROM unnest(tokens) WITH ORDINALITY AS t (token, n) ORDER BY n), E'\x03');
  IF line ~ '([0-9].*){10}' THEN
    at := 1;
    FOREACH piece IN ARRAY string_to_array(
      regexp_replace(line, telephone_pattern(), E'\x01\\&\x02', 'g'), E'\x01') LOOP
      IF position(E'\x02' IN piece) > 0 THEN
        FOR token IN at..at + char_length(regexp_replace(split_part(piece, E'\x02', 1), E'[^\x03]', '', 'g')) LOOP
          hit[token] := true;
        END LOOP;
      END IF;
      at := at + char_length(regexp_replace(piece, E'[^\x03]', '', 'g'));
    END LOOP;
  END IF;

  IF NOT true = ANY (hit) THEN RETURN NULL; END IF;
  FOR n IN 1..cardinality(tokens) LOOP
    EXIT WHEN read_length > 10000;
    read_length := read_length + char_length(tokens[n]) + char_length(gaps[n]);
    IF NOT hit[n] THEN
      masked := masked || tokens[n] || gaps[n];
    ELSIF n = cardinality(tokens) OR NOT hit[n + 1] THEN
      masked := masked || '•••' || coalesce(substring(tokens[n] FROM '[^.,!?:]([.,!?:]+)$'), '') || gaps[n];
    END IF;
  END LOOP;
  RETURN masked;
END $$;

-- As much of a message as is compared: no preview reaches the end of it, and no identifier is as long as
-- what is read beyond the 10,000 characters that are kept.
CREATE FUNCTION masked_scope(input text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT left(input, 12000) $$;

-- Masks questions ("question", "text", "masked_text") or drafts: the given ones alone where new_keys is null;
-- else of the requests those of the given price checks, those in which one of the keys occurs, and those that
-- are masked now. With message_ids null: all of the requests.
CREATE FUNCTION mask_messages(
  message_table text, raw_column text, masked_column text, buyer_ids uuid[], request_ids uuid[],
  message_ids uuid[], price_check_ids uuid[], new_keys text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format($q$
    WITH subject AS MATERIALIZED (
      SELECT q.buyer_id, q.id, q.request_id, q.%2$I AS words, q.%3$I AS masked, folded_words(masked_scope(q.%2$I)) AS folded,
        pc.listing_vin, pc.listing_url, pc.listing_image_url,
        row_number() OVER () AS place
      FROM %4$s
      CROSS JOIN LATERAL (
        SELECT pc.listing_vin, pc.listing_url, pc.listing_image_url FROM price_check pc
        WHERE pc.buyer_id = q.buyer_id AND pc.id = q.price_check_id OFFSET 0
      ) pc
      WHERE $3 IS NULL OR $5 IS NULL OR q.%3$I IS NOT NULL OR q.price_check_id IN (SELECT unnest($4))
        OR $5 <> '{}' AND EXISTS (
          SELECT FROM (SELECT folded(masked_scope(q.%2$I)) AS text OFFSET 0) AS f, unnest($5) AS k
          WHERE position(k IN f.text) > 0)
    ), known AS MATERIALIZED (
      SELECT f.* FROM (
        SELECT array_agg(buyer_id ORDER BY place) AS buyer_ids, array_agg(request_id ORDER BY place) AS request_ids,
          array_agg(CASE folded WHEN '' THEN bare_signs(masked_scope(words)) ELSE folded END ORDER BY place) AS texts
        FROM subject
      ) s CROSS JOIN LATERAL find_identifiers(s.buyer_ids, s.request_ids, s.texts, true) f
    ), masked AS MATERIALIZED (
      SELECT s.buyer_id, s.id, s.masked, CASE
          WHEN k.place IS NOT NULL OR own.keys <> '{}' OR may_match_pattern(plain.text)
            AND (matches_contact_pattern(plain.text) OR plain.text ~ '([0-9][^A-Za-z0-9]*){10}')
          THEN masked_message(s.words, coalesce(k.whole_keys, '{}'), coalesce(k.loose_keys, '{}'),
            coalesce(k.record_names, '{}'), own.keys) END AS words
      FROM subject s LEFT JOIN known k ON k.place = s.place
      CROSS JOIN LATERAL (SELECT plain_text(masked_scope(s.words)) AS text OFFSET 0) AS plain
      CROSS JOIN LATERAL (SELECT replace(s.folded, ' ', '') AS squeezed OFFSET 0) AS f
      CROSS JOIN LATERAL (
        SELECT CASE WHEN own_part_occurs(s.listing_vin, f.squeezed) OR own_part_occurs(s.listing_url, f.squeezed)
            OR own_part_occurs(s.listing_image_url, f.squeezed)
          THEN own_identifiers(s.listing_vin, s.listing_url, s.listing_image_url) ELSE '{}' END AS keys
        OFFSET 0
      ) AS own
    )
    UPDATE %1$I q SET %3$I = m.words FROM masked m
    WHERE m.masked IS DISTINCT FROM m.words
      AND q.buyer_id = m.buyer_id AND q.id = m.id AND q.%3$I IS DISTINCT FROM m.words
  $q$, message_table, raw_column, masked_column, CASE
    WHEN new_keys IS NULL
    THEN format('unnest($1, $3) AS r (buyer_id, id) CROSS JOIN LATERAL (
      SELECT * FROM %I q WHERE q.buyer_id = r.buyer_id AND q.id = r.id OFFSET 0) q', message_table)
    ELSE format('(SELECT DISTINCT a.buyer_id, a.request_id FROM unnest($1, $2) AS a (buyer_id, request_id)) r
      CROSS JOIN LATERAL (
      SELECT * FROM %I q WHERE q.buyer_id = r.buyer_id AND q.request_id = r.request_id OFFSET 0) q', message_table) END)
  USING buyer_ids, request_ids, message_ids, price_check_ids, new_keys;
END $$;

-- Of the listings of requests, those that may identify a dealership, with what they are to be compared with,
-- and those of which something is hidden now; all others show all they have. Compared are the given listings
-- (all with null) and those in which one of the keys occurs. Without nested loops: the planner would compare
-- each listing with each text.
CREATE FUNCTION find_suspect_listings(buyer_ids uuid[], request_ids uuid[], changed_ids uuid[], new_keys text[])
RETURNS TABLE (
  buyer_id uuid, id uuid, listing_year integer, listing_make text, listing_model text, listing_trim text,
  listing_exterior_color text, listing_mileage integer, listing_listed_at_cents bigint,
  is_suspect boolean, own_keys text[], whole_keys text[], loose_keys text[], record_names text[])
LANGUAGE sql STABLE
SET search_path = public, pg_temp SET work_mem = '32MB' SET enable_nestloop = off SET jit = off AS $$
  WITH number AS MATERIALIZED (
    SELECT i.anchor::bigint AS n FROM dealership_identifier i WHERE NOT i.is_embedded AND i.anchor ~ '^[0-9]{1,9}$'
  ), listing AS (
    SELECT pc.*, (
        pc.shown_year, pc.shown_make, pc.shown_model, pc.shown_trim, pc.shown_exterior_color,
        pc.shown_mileage, pc.shown_listed_at_cents
      ) IS DISTINCT FROM (
        pc.listing_year::integer, listing_text(pc.listing_make), listing_text(pc.listing_model),
        listing_text(pc.listing_trim), listing_text(pc.listing_exterior_color),
        pc.listing_mileage, pc.listing_listed_at_cents::bigint
      ) AS is_hidden,
      changed_ids IS NULL OR pc.id IN (SELECT unnest(changed_ids)) AS is_changed,
      -- The parts that are compared joined.
      concat_ws(' ', pc.listing_exterior_color, pc.listing_year, pc.listing_model, pc.listing_trim) AS label,
      concat_ws(' ', pc.listing_year, pc.listing_make, pc.listing_model, pc.listing_trim) AS car,
      -- Numbers as they are and as labels round them.
      ARRAY[pc.listing_mileage, (pc.listing_mileage + 50) / 100 * 100, pc.listing_listed_at_cents,
        (pc.listing_listed_at_cents + 50) / 100, pc.listing_listed_at_cents / 100]::bigint[] AS numbers
    FROM (SELECT DISTINCT a.buyer_id, a.request_id FROM unnest(buyer_ids, request_ids) AS a (buyer_id, request_id)) r
    CROSS JOIN LATERAL (
      SELECT * FROM price_check pc WHERE pc.buyer_id = r.buyer_id AND pc.request_id = r.request_id OFFSET 0
    ) pc
  ), read AS MATERIALIZED (
    SELECT * FROM listing l WHERE l.is_changed OR l.is_hidden OR new_keys <> '{}'
  ), line AS MATERIALIZED (
    -- Listings repeat each other: each text is folded once.
    SELECT t.raw, f.words, replace(f.words, ' ', '') AS squeezed,
      EXISTS (SELECT FROM unnest(new_keys) AS k WHERE position(k IN replace(f.words, ' ', '')) > 0) AS has_new_key
    FROM (SELECT r.label AS raw FROM read r UNION SELECT r.car FROM read r) t
    CROSS JOIN LATERAL (SELECT folded_words(t.raw) AS words OFFSET 0) f
  ), part AS MATERIALIZED (
    -- Parts that need more than their words: those of a form, and those of signs alone.
    SELECT * FROM (
      SELECT p.part, nullif(f.signs, '') AS signs,
        may_match_pattern(f.plain) AND (matches_contact_pattern(f.plain) OR f.plain ~ telephone_pattern()) AS has_form
      FROM (
        SELECT r.listing_make AS part FROM read r UNION SELECT r.listing_model FROM read r
        UNION SELECT r.listing_trim FROM read r UNION SELECT r.listing_exterior_color FROM read r
      ) p
      CROSS JOIN LATERAL (
        SELECT plain_text(p.part) AS plain,
          CASE WHEN p.part !~ '^[^&]*[A-Za-z0-9][^&]*$' AND folded_words(p.part) = '' THEN bare_signs(p.part) END AS signs
        OFFSET 0
      ) f
      WHERE p.part IS NOT NULL
      OFFSET 0
    ) p WHERE p.has_form OR p.signs IS NOT NULL
  ), subject AS MATERIALIZED (
    SELECT r.*, row_number() OVER () AS place,
      r.listing_make IN (SELECT p.part FROM part p WHERE p.has_form)
        OR r.listing_model IN (SELECT p.part FROM part p WHERE p.has_form)
        OR r.listing_trim IN (SELECT p.part FROM part p WHERE p.has_form)
        OR r.listing_exterior_color IN (SELECT p.part FROM part p WHERE p.has_form) AS has_form,
      CASE WHEN own_part_occurs(r.listing_vin, label.squeezed || car.squeezed)
          OR own_part_occurs(r.listing_url, label.squeezed || car.squeezed)
          OR own_part_occurs(r.listing_image_url, label.squeezed || car.squeezed)
        THEN own_identifiers(r.listing_vin, r.listing_url, r.listing_image_url) ELSE '{}' END AS own_keys,
      label.words || E'\n' || car.words
        || CASE WHEN r.is_number THEN E'\n' || array_to_string(r.numbers, E'\n') ELSE '' END
        || CASE WHEN EXISTS (SELECT FROM part) THEN coalesce((
          SELECT E'\n' || string_agg(p.signs, E'\n') FROM part p
          WHERE p.part IN (r.listing_make, r.listing_model, r.listing_trim, r.listing_exterior_color)), '') ELSE '' END
        AS lines
    FROM (
      SELECT r.*, r.listing_mileage IN (SELECT n FROM number)
          OR (r.listing_mileage + 50) / 100 * 100 IN (SELECT n FROM number)
          OR r.listing_listed_at_cents >= 1000000000 OR r.listing_listed_at_cents IN (SELECT n FROM number)
          OR (r.listing_listed_at_cents + 50) / 100 IN (SELECT n FROM number)
          OR r.listing_listed_at_cents / 100 IN (SELECT n FROM number) AS is_number
      FROM read r
    ) r
    JOIN line label ON label.raw = r.label
    JOIN line car ON car.raw = r.car
    WHERE r.is_changed OR r.is_hidden OR label.has_new_key OR car.has_new_key
      OR r.numbers && ARRAY(SELECT k::bigint FROM unnest(new_keys) AS k WHERE k ~ '^[0-9]{1,16}$')
  ), known AS MATERIALIZED (
    SELECT f.* FROM (
      SELECT array_agg(buyer_id ORDER BY place) AS b, array_agg(request_id ORDER BY place) AS r,
        array_agg(lines ORDER BY place) AS l FROM subject
    ) s CROSS JOIN LATERAL find_identifiers(s.b, s.r, s.l, false) f
  )
  SELECT s.buyer_id, s.id, s.listing_year::integer, s.listing_make::text, s.listing_model::text, s.listing_trim::text,
    s.listing_exterior_color::text, s.listing_mileage, s.listing_listed_at_cents::bigint,
    k.place IS NOT NULL OR s.has_form OR s.own_keys <> '{}', s.own_keys,
    coalesce(k.whole_keys, '{}'), coalesce(k.loose_keys, '{}'), coalesce(k.record_names, '{}')
  FROM subject s LEFT JOIN known k ON k.place = s.place
  WHERE s.is_hidden OR k.place IS NOT NULL OR s.has_form OR s.own_keys <> '{}'
$$;

-- Keeps what may be shown of requests: of the listings that changed, of those in which an identifier of the
-- given dealerships (new in the request, or renamed) occurs, and of those of which something is hidden now.
-- With changed_ids null, of all. The caller holds the locks of the requests.
CREATE FUNCTION clean_requests(
  buyer_ids uuid[], request_ids uuid[], changed_ids uuid[], new_dealership_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  new_keys text[] := '{}';
BEGIN
  IF changed_ids IS NOT NULL AND new_dealership_ids <> '{}' THEN
    SELECT coalesce(array_agg(DISTINCT k), '{}') INTO new_keys
    FROM dealership d, unnest(d.whole_keys || d.loose_keys) AS k WHERE d.id IN (SELECT unnest(new_dealership_ids));
    -- Many are found faster by the index; names of signs alone do not occur in folded text.
    IF cardinality(new_keys) > 60 OR EXISTS (
      SELECT FROM unnest(new_keys) AS k WHERE k COLLATE "und-x-icu" !~ '[[:alnum:]]')
    THEN
      changed_ids := NULL;
      new_keys := '{}';
    END IF;
  END IF;

  WITH clean AS (
    SELECT s.buyer_id, s.id, s.whole_keys <> '{}' OR s.loose_keys <> '{}' AS has_keys,
      CASE WHEN NOT s.listing_year::text = ANY (s.whole_keys) THEN s.listing_year END AS year,
      CASE WHEN NOT (s.is_suspect
          AND identifies_dealership(s.listing_make, s.whole_keys, s.loose_keys, s.record_names, s.own_keys))
        THEN listing_text(s.listing_make) END AS make,
      CASE WHEN NOT (s.is_suspect
          AND identifies_dealership(s.listing_model, s.whole_keys, s.loose_keys, s.record_names, s.own_keys))
        THEN listing_text(s.listing_model) END AS model,
      CASE WHEN NOT (s.is_suspect
          AND identifies_dealership(s.listing_trim, s.whole_keys, s.loose_keys, s.record_names, s.own_keys))
        THEN listing_text(s.listing_trim) END AS trim,
      CASE WHEN NOT (s.is_suspect
          AND identifies_dealership(s.listing_exterior_color, s.whole_keys, s.loose_keys, s.record_names, s.own_keys))
        THEN listing_text(s.listing_exterior_color) END AS exterior_color,
      -- Numbers as they are and as labels round them.
      CASE WHEN NOT ARRAY[s.listing_mileage::text, round(s.listing_mileage, -2)::text] && s.whole_keys
        THEN s.listing_mileage END AS mileage,
      CASE WHEN NOT ARRAY[s.listing_listed_at_cents::text, round(s.listing_listed_at_cents / 100.0)::text,
          (s.listing_listed_at_cents / 100)::text] && s.whole_keys
        THEN s.listing_listed_at_cents END AS listed_at_cents,
      s.whole_keys, s.loose_keys
    FROM find_suspect_listings(buyer_ids, request_ids, changed_ids, new_keys) s
  ), label AS (
    -- A label puts colour, year, model and trim side by side, where they may make up a name together:
    -- then as many are hidden, from the end, as it takes.
    SELECT c.buyer_id, c.id, c.has_keys, c.year, c.make, c.mileage, c.listed_at_cents, c.whole_keys, c.loose_keys,
      CASE WHEN NOT (c.has_keys AND names_dealership(concat_ws(' ', c.exterior_color, c.year), c.whole_keys, c.loose_keys))
        THEN c.exterior_color END AS exterior_color,
      CASE WHEN NOT (c.has_keys AND names_dealership(concat_ws(' ', c.exterior_color, c.year, c.model), c.whole_keys, c.loose_keys))
        THEN c.model END AS model,
      CASE WHEN NOT (c.has_keys AND names_dealership(concat_ws(' ', c.exterior_color, c.year, c.model, c.trim), c.whole_keys, c.loose_keys))
        THEN c.trim END AS trim
    FROM clean c
  ), line AS (
    -- So do year, make, model and trim.
    SELECT l.buyer_id, l.id, l.year, l.mileage, l.listed_at_cents, l.exterior_color,
      CASE WHEN NOT (l.has_keys AND names_dealership(concat_ws(' ', l.year, l.make), l.whole_keys, l.loose_keys))
        THEN l.make END AS make,
      CASE WHEN NOT (l.has_keys AND names_dealership(concat_ws(' ', l.year, l.make, l.model), l.whole_keys, l.loose_keys))
        THEN l.model END AS model,
      CASE WHEN NOT (l.has_keys AND names_dealership(concat_ws(' ', l.year, l.make, l.model, l.trim), l.whole_keys, l.loose_keys))
        THEN l.trim END AS trim
    FROM label l
  )
  UPDATE price_check pc SET
    shown_year = c.year, shown_make = c.make, shown_model = c.model, shown_trim = c.trim,
    shown_exterior_color = c.exterior_color, shown_mileage = c.mileage, shown_listed_at_cents = c.listed_at_cents
  FROM line c
  WHERE pc.buyer_id = c.buyer_id AND pc.id = c.id
    AND (pc.shown_year, pc.shown_make, pc.shown_model, pc.shown_trim, pc.shown_exterior_color,
         pc.shown_mileage, pc.shown_listed_at_cents)
      IS DISTINCT FROM (c.year::integer, c.make, c.model, c.trim, c.exterior_color, c.mileage, c.listed_at_cents::bigint);

  PERFORM mask_messages('question', 'text', 'masked_text', buyer_ids, request_ids,
    CASE WHEN changed_ids IS NOT NULL THEN '{}'::uuid[] END, changed_ids, new_keys);
  PERFORM mask_messages('draft', 'body', 'masked_body', buyer_ids, request_ids,
    CASE WHEN changed_ids IS NOT NULL THEN '{}'::uuid[] END, changed_ids, new_keys);
  PERFORM compare_requested_cars(buyer_ids, request_ids);
END $$;

-- Keeps whether requested cars carry an identifier of a dealership.
CREATE FUNCTION compare_requested_cars(buyer_ids uuid[], request_ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH subject AS MATERIALIZED (
    SELECT s.*, row_number() OVER () AS place
    FROM (SELECT DISTINCT a.buyer_id, a.request_id FROM unnest(buyer_ids, request_ids) AS a (buyer_id, request_id)) r
    JOIN deal_set s ON s.buyer_id = r.buyer_id AND s.id = r.request_id
  ), known AS MATERIALIZED (
    SELECT f.* FROM (
      SELECT array_agg(buyer_id ORDER BY place) AS b, array_agg(id ORDER BY place) AS r,
        array_agg(concat_ws(E'\n',
          folded_words(concat_ws(' ', car_year, car_make, car_model)), folded_words(concat_ws(' ', car_year, car_model)),
          nullif(bare_signs(car_make), ''), nullif(bare_signs(car_model), '')) ORDER BY place) AS l
      FROM subject
    ) s CROSS JOIN LATERAL find_identifiers(s.b, s.r, s.l, false) f
  ), compared AS (
    SELECT s.buyer_id, s.id, k.place IS NOT NULL AND (
        s.car_year::text = ANY (k.whole_keys)
        OR identifies_dealership(s.car_make, k.whole_keys, k.loose_keys, k.record_names, '{}')
        OR identifies_dealership(s.car_model, k.whole_keys, k.loose_keys, k.record_names, '{}')
        OR names_dealership(concat_ws(' ', s.car_year, s.car_make, s.car_model), k.whole_keys, k.loose_keys)
        OR names_dealership(concat_ws(' ', s.car_year, s.car_model), k.whole_keys, k.loose_keys)) AS is_named
    FROM subject s LEFT JOIN known k ON k.place = s.place
  )
  UPDATE deal_set s SET car_names_dealership = c.is_named FROM compared c
  WHERE s.buyer_id = c.buyer_id AND s.id = c.id AND s.car_names_dealership <> c.is_named
$$;

-- What is shown may be written by triggers alone, so the function below gives its order to one: the table
-- stays empty.
CREATE TABLE cleaning_order (buyer_ids uuid[] NOT NULL, request_ids uuid[] NOT NULL);
CREATE FUNCTION run_cleaning_order() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM clean_requests(NEW.buyer_ids, NEW.request_ids, NULL, '{}');
  RETURN NULL;
END $$;
CREATE TRIGGER run_cleaning_order BEFORE INSERT ON cleaning_order
  FOR EACH ROW EXECUTE FUNCTION run_cleaning_order();
ALTER TABLE cleaning_order ENABLE ALWAYS TRIGGER run_cleaning_order;

-- Compares everything of the given requests anew, with the dealerships on record now, and stamps those of
-- which a client sees something else. It waits for their open writers, as a renaming does.
CREATE OR REPLACE FUNCTION clean_listings(buyer_ids uuid[], request_ids uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM assert_read_committed();
  PERFORM FROM request_feed f
    JOIN (SELECT DISTINCT a.buyer_id, a.request_id FROM unnest(buyer_ids, request_ids) AS a (buyer_id, request_id)) r
      ON r.buyer_id = f.buyer_id AND r.request_id = f.request_id
    ORDER BY f.buyer_id, f.request_id, f.kind FOR UPDATE OF f;
  IF buyer_ids IS NOT NULL THEN
    INSERT INTO cleaning_order (buyer_ids, request_ids) VALUES (buyer_ids, request_ids);
  END IF;
END $$;

-- Cleans the listings that a statement concerns: what it wrote, and where it changed the dealerships of a
-- request, what names those.
CREATE OR REPLACE FUNCTION price_check_cleans_listings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  needs_young_snapshot boolean := true;
  buyer_ids uuid[];
  request_ids uuid[];
  changed_ids uuid[] := '{}';
  new_dealership_ids uuid[] := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(buyer_id), array_agg(request_id), bool_or(is_member)
      INTO buyer_ids, request_ids, needs_young_snapshot
    FROM (SELECT buyer_id, request_id, bool_or(deal_set_id IS NOT NULL) AS is_member
          FROM new_rows GROUP BY 1, 2) r;
    SELECT array_agg(id), array_agg(DISTINCT dealership_id) INTO changed_ids, new_dealership_ids FROM new_rows;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(buyer_id), array_agg(request_id) INTO buyer_ids, request_ids
    FROM (SELECT DISTINCT buyer_id, request_id FROM old_rows WHERE deal_set_id IS NOT NULL) r;
  ELSE
    SELECT array_agg(r.buyer_id), array_agg(r.request_id) INTO buyer_ids, request_ids
    FROM (
      SELECT DISTINCT side.buyer_id, side.request_id
      FROM new_rows n FULL JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
      CROSS JOIN LATERAL (VALUES (n.buyer_id, n.request_id), (o.buyer_id, o.request_id))
        AS side (buyer_id, request_id)
      WHERE side.buyer_id IS NOT NULL AND
        (n.request_id, n.dealership_id, n.listing_year, n.listing_make, n.listing_model, n.listing_trim,
         n.listing_exterior_color, n.listing_mileage, n.listing_listed_at_cents, n.listing_vin, n.listing_url,
         n.listing_image_url) IS DISTINCT FROM
        (o.request_id, o.dealership_id, o.listing_year, o.listing_make, o.listing_model, o.listing_trim,
         o.listing_exterior_color, o.listing_mileage, o.listing_listed_at_cents, o.listing_vin, o.listing_url,
         o.listing_image_url)
    ) r;
    SELECT coalesce(array_agg(n.id), '{}'), coalesce(array_agg(DISTINCT n.dealership_id) FILTER (
        WHERE (n.request_id, n.dealership_id) IS DISTINCT FROM (o.request_id, o.dealership_id)), '{}')
      INTO changed_ids, new_dealership_ids
    FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
    WHERE (n.request_id, n.dealership_id, n.listing_year, n.listing_make, n.listing_model, n.listing_trim,
         n.listing_exterior_color, n.listing_mileage, n.listing_listed_at_cents, n.listing_vin, n.listing_url,
         n.listing_image_url) IS DISTINCT FROM
        (o.request_id, o.dealership_id, o.listing_year, o.listing_make, o.listing_model, o.listing_trim,
         o.listing_exterior_color, o.listing_mileage, o.listing_listed_at_cents, o.listing_vin, o.listing_url,
         o.listing_image_url);
  END IF;
  IF buyer_ids IS NOT NULL THEN
    IF needs_young_snapshot THEN PERFORM assert_read_committed(); END IF;
    PERFORM clean_requests(buyer_ids, request_ids, changed_ids, new_dealership_ids);
  END IF;
  RETURN NULL;
END $$;

-- What is shown of messages and requested cars is written by triggers alone.
CREATE FUNCTION set_masked_text() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN NEW.masked_text := NULL;
  ELSIF pg_trigger_depth() = 1 THEN NEW.masked_text := OLD.masked_text;
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION set_masked_body() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN NEW.masked_body := NULL;
  ELSIF pg_trigger_depth() = 1 THEN NEW.masked_body := OLD.masked_body;
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION set_car_names_dealership() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN NEW.car_names_dealership := false;
  ELSIF pg_trigger_depth() = 1 THEN NEW.car_names_dealership := OLD.car_names_dealership;
  END IF;
  RETURN NEW;
END $$;

-- Masks the messages that a statement wrote, after it is marked in the feed: the mark's lock makes writers of
-- one request follow each other.
CREATE FUNCTION mask_written_messages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  raw_column text := CASE TG_TABLE_NAME WHEN 'question' THEN 'text' ELSE 'body' END;
  buyer_ids uuid[];
  request_ids uuid[];
  ids uuid[];
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    buyer_ids := ARRAY[NEW.buyer_id];
    request_ids := ARRAY[NEW.request_id];
    ids := ARRAY[NEW.id];
  ELSE
    EXECUTE CASE TG_OP
      WHEN 'INSERT' THEN 'SELECT array_agg(n.buyer_id), array_agg(n.request_id), array_agg(n.id) FROM new_rows n'
      ELSE format('SELECT array_agg(n.buyer_id), array_agg(n.request_id), array_agg(n.id)
        FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
        WHERE (n.%1$I, n.request_id, n.price_check_id) IS DISTINCT FROM (o.%1$I, o.request_id, o.price_check_id)', raw_column)
      END INTO buyer_ids, request_ids, ids;
  END IF;
  IF ids IS NOT NULL THEN
    PERFORM mask_messages(TG_TABLE_NAME, raw_column, 'masked_' || raw_column, buyer_ids, request_ids, ids, '{}', NULL);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION compare_written_cars() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  buyer_ids uuid[];
  ids uuid[];
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    buyer_ids := ARRAY[NEW.buyer_id];
    ids := ARRAY[NEW.id];
  ELSIF TG_OP = 'INSERT' THEN
    SELECT array_agg(n.buyer_id), array_agg(n.id) INTO buyer_ids, ids FROM new_rows n;
  ELSE
    SELECT array_agg(n.buyer_id), array_agg(n.id) INTO buyer_ids, ids
    FROM new_rows n LEFT JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
    WHERE (n.car_year, n.car_make, n.car_model) IS DISTINCT FROM (o.car_year, o.car_make, o.car_model);
  END IF;
  IF ids IS NOT NULL THEN PERFORM compare_requested_cars(buyer_ids, ids); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER question_sets_masked_text BEFORE INSERT OR UPDATE ON question
  FOR EACH ROW EXECUTE FUNCTION set_masked_text();
CREATE TRIGGER draft_sets_masked_body BEFORE INSERT OR UPDATE ON draft
  FOR EACH ROW EXECUTE FUNCTION set_masked_body();
CREATE TRIGGER deal_set_sets_car_names_dealership BEFORE INSERT OR UPDATE ON deal_set
  FOR EACH ROW EXECUTE FUNCTION set_car_names_dealership();
ALTER TABLE question ENABLE ALWAYS TRIGGER question_sets_masked_text;
ALTER TABLE draft ENABLE ALWAYS TRIGGER draft_sets_masked_body;
ALTER TABLE deal_set ENABLE ALWAYS TRIGGER deal_set_sets_car_names_dealership;

-- As for listings: after the mark, whose trigger's name comes first; and for rows of a logical replication,
-- whose triggers are those of rows.
DO $$
DECLARE
  watched record;
BEGIN
  FOR watched IN
    SELECT * FROM (VALUES ('question', 'mask_written_messages'), ('draft', 'mask_written_messages'),
      ('deal_set', 'compare_written_cars')) AS w (tab, called)
  LOOP
    EXECUTE format('CREATE TRIGGER t2_words_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION %I()', watched.tab, watched.called);
    EXECUTE format('CREATE TRIGGER t2_words_update AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION %I()', watched.tab, watched.called);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER t2_words_insert, ENABLE ALWAYS TRIGGER t2_words_update', watched.tab);
    EXECUTE format('CREATE TRIGGER t5_words_row AFTER INSERT OR UPDATE ON %I
      FOR EACH ROW EXECUTE FUNCTION %I()', watched.tab, watched.called);
    EXECUTE format('ALTER TABLE %I ENABLE REPLICA TRIGGER t5_words_row', watched.tab);
  END LOOP;
END $$;

-- A dealership that changes its name, contact or partner status changes requests of many buyers.
CREATE OR REPLACE FUNCTION dealership_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  has_new_identity boolean := (NEW.whole_keys, NEW.loose_keys) IS DISTINCT FROM (OLD.whole_keys, OLD.loose_keys);
  has_new_name boolean := NEW.name IS DISTINCT FROM OLD.name;
  has_new_partner boolean :=
    coalesce(NEW.verified_partner, false) IS DISTINCT FROM coalesce(OLD.verified_partner, false);
  buyer_ids uuid[];
  request_ids uuid[];
  locked_buyer_ids uuid[];
  locked_request_ids uuid[];
  seen_buyer_ids uuid[];
  seen_request_ids uuid[];
  seen_kinds text[];
BEGIN
  IF NOT (has_new_identity OR has_new_name OR has_new_partner) THEN RETURN NULL; END IF;
  PERFORM assert_read_committed();

  IF has_new_partner THEN
    UPDATE price_check p SET shown_verified_partner = coalesce(NEW.verified_partner, false)
    WHERE p.dealership_id = NEW.id
      AND p.shown_verified_partner IS DISTINCT FROM coalesce(NEW.verified_partner, false);
  END IF;
  IF NOT (has_new_identity OR has_new_name) THEN RETURN NULL; END IF;

  -- Wait for writers of its requests: what they add must be compared with the new name too, and where
  -- they unlock or choose, the buyer sees the name. Meanwhile a row may have joined another request.
  LOOP
    SELECT array_agg(r.buyer_id), array_agg(r.request_id) INTO buyer_ids, request_ids
    FROM (SELECT DISTINCT p.buyer_id, p.request_id FROM price_check p WHERE p.dealership_id = NEW.id
          ORDER BY 1, 2) r;
    EXIT WHEN (buyer_ids, request_ids) IS NOT DISTINCT FROM (locked_buyer_ids, locked_request_ids);
    PERFORM FROM request_feed f JOIN unnest(buyer_ids, request_ids) AS r (buyer_id, request_id)
      ON r.buyer_id = f.buyer_id AND r.request_id = f.request_id
      ORDER BY f.buyer_id, f.request_id, f.kind FOR UPDATE OF f;
    locked_buyer_ids := buyer_ids;
    locked_request_ids := request_ids;
  END LOOP;
  IF buyer_ids IS NULL THEN RETURN NULL; END IF;

  IF has_new_name THEN
    SELECT array_agg(r.buyer_id), array_agg(r.request_id), array_agg(r.kind)
      INTO seen_buyer_ids, seen_request_ids, seen_kinds
    FROM (SELECT DISTINCT p.buyer_id, p.request_id,
            CASE WHEN p.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END AS kind
          FROM price_check p
          WHERE p.dealership_id = NEW.id AND (p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)) r;
    IF seen_buyer_ids IS NOT NULL THEN
      PERFORM feed_mark(seen_buyer_ids, seen_request_ids, seen_kinds);
    END IF;
  END IF;
  IF has_new_identity THEN
    -- A row version of its own: a writer of a message whose snapshot is older than this renaming fails to
    -- mark the request (40001), so that it cannot compare the message with the old name.
    UPDATE request_feed f SET is_time_known = f.is_time_known
    FROM unnest(buyer_ids, request_ids) AS r (buyer_id, request_id)
    WHERE r.buyer_id = f.buyer_id AND r.request_id = f.request_id;
    PERFORM clean_requests(buyer_ids, request_ids, '{}', ARRAY[NEW.id]);
  END IF;
  RETURN NULL;
END $$;

REVOKE EXECUTE ON FUNCTION clean_requests(uuid[], uuid[], uuid[], uuid[]), compare_requested_cars(uuid[], uuid[]),
  mask_messages(text, text, text, uuid[], uuid[], uuid[], uuid[], text[]) FROM PUBLIC;

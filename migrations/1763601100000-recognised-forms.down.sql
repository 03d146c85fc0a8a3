-- The rules before. No request is stamped.
CREATE OR REPLACE FUNCTION telephone_pattern() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '(?<![0-9])(\+?1[ ()./‐-―−\x03-]{0,3})?\(?[0-9]{3}[ ()./‐-―−\x03-]{0,3}[0-9]{3}[ ()./‐-―−\x03-]{0,3}[0-9]{4}(?![0-9])'
$$;

CREATE OR REPLACE FUNCTION folded_words(input text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  folded text;
BEGIN
  IF octet_length(input) = char_length(input) AND position('&' IN input) = 0 THEN
    -- ASCII, as nearly all listings are: no tables are needed.
    RETURN btrim(regexp_replace(lower(input COLLATE "C"), '[^a-z0-9]+', ' ', 'g'));
  END IF;
  -- Lower, upper, lower is full case folding (sharp s in both cases, ligatures), but for the final sigma.
  folded := lower(upper(lower(normalize(public.html_decode(input), NFKC) COLLATE "und-x-icu")));
  folded := regexp_replace(normalize(folded, NFKD), '[' || public.dropped_characters() || ']', '', 'g');
  folded := public.with_ascii_digits(replace(replace(folded, 'ς', 'σ'), '&', ' and '));
  RETURN btrim(regexp_replace(folded COLLATE "und-x-icu", '[^[:alnum:]]+', ' ', 'g'));
END $$;

CREATE OR REPLACE FUNCTION without_legal_form(words text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE
    WHEN position(' ' IN words) = 0 OR short = words THEN words
    -- "Smith & Co": without its end the name would be no name.
    WHEN short ~ ' and$' THEN words
    WHEN position(' ' IN short) > 0 THEN short
    ELSE array_to_string((string_to_array(words, ' '))[1:2], ' ') END
  FROM regexp_replace(words, '( (llc|inc|corp|co|ltd|gmbh))+$', '') AS short
$$;

CREATE OR REPLACE FUNCTION clean_requests(
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

ALTER TABLE dealership DISABLE TRIGGER dealership_changed;
DO $$
DECLARE
  ids uuid[];
BEGIN
  -- In two statements: a distributed database calls no stable function on columns of the table that it updates.
  SELECT array_agg(d.id) INTO ids FROM dealership d
  WHERE folded_words(d.name) ~ '( l l c| g m b h)( |$)'
    OR octet_length(d.name) > char_length(d.name) OR position('&' IN d.name) > 0;
  UPDATE dealership SET whole_keys = whole_keys WHERE id = ANY (ids);
END $$;
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_changed;

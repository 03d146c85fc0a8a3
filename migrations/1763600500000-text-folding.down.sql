-- As they were before.
CREATE OR REPLACE FUNCTION folded_words(input text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  IF octet_length(input) = char_length(input) AND position('&' IN input) = 0 THEN
    -- ASCII, as nearly all listings are: no tables are needed.
    RETURN btrim(regexp_replace(lower(input COLLATE "C"), '[^a-z0-9]+', ' ', 'g'));
  END IF;
  -- Lower, upper, lower is full case folding (sharp s in both cases, ligatures), but for the final sigma.
  RETURN btrim(regexp_replace(
    replace(lower(upper(lower(normalize(html_decode(input), NFKC) COLLATE "und-x-icu"))), 'ς', 'σ') COLLATE "und-x-icu",
    '[^[:alnum:]]+', ' ', 'g'));
END $$;
CREATE OR REPLACE FUNCTION bare_signs(input text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT regexp_replace(normalize(html_decode(input), NFKC), '[[:space:][:cntrl:]]+', '', 'g')
$$;
DROP TABLE car_term;
DROP FUNCTION telephone_pattern(), matches_contact_pattern(text), may_match_pattern(text), plain_text(text),
  with_ascii_digits(text), unicode_digit_ranges(), unicode_digits(), dropped_characters();

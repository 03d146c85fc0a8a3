-- What of a dealership's listing may be shown, to anyone: words that have the shape of words of a
-- car and do not name the row's own dealership. It is decided here when the row or the dealership's
-- name is written, and stored.

-- A part of a listing in plain letters: typographic signs by their plain forms, accents dropped,
-- one a letter.
CREATE OR REPLACE FUNCTION deal_sets.plain_letters(part text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(
    normalize(translate(part, U&'\2013\2014\2011\2019\2018\201C\201D\00AE\2122', $t$---''""$t$), NFD),
    U&'([A-Za-z])[\0300-\036F]', '\1', 'g')
$$;

-- Letters and digits alone, in lower case, with "and" for "&": what is compared of a name.
CREATE OR REPLACE FUNCTION deal_sets.name_key(words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lower(regexp_replace(replace(deal_sets.plain_letters(words), '&', 'and'), '[^A-Za-z0-9]', '', 'g'))
$$;

-- A name without the legal forms at its end, however many there are. They are whole words; dots in
-- them are ignored. The masks of messages do the same (src/deal-sets/domain/dealership-name.ts); a
-- test compares the two.
CREATE OR REPLACE FUNCTION deal_sets.without_legal_forms(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(translate(name, U&'\00A0\202F.', '  '),
    '([\s,()/+&]+(and[\s,()/+&]+)?'
    '(LLC|LC|LLP|LP|Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|Limited|PLLC|PC|GmbH))+[\s,()/+&]*$', '', 'i')
$$;

CREATE OR REPLACE FUNCTION deal_sets.without_and(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT regexp_replace(replace(name, '&', ' '), '\yand\y', ' ', 'gi') $$;

-- The keys by which a dealership is named: with its legal form and without, with "and" and without.
-- Some may be equal.
CREATE OR REPLACE FUNCTION deal_sets.name_keys(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY[
    deal_sets.name_key(name), deal_sets.name_key(deal_sets.without_and(name)),
    deal_sets.name_key(bare), deal_sets.name_key(deal_sets.without_and(bare))]
  FROM deal_sets.without_legal_forms(name) bare
$$;

-- Whether words name a dealership: they contain its name. A short name is only found where it is
-- all there is.
CREATE OR REPLACE FUNCTION deal_sets.names_dealership(words_key text, name_keys text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(bool_or(CASE WHEN char_length(k) < 4 THEN words_key = k ELSE strpos(words_key, k) > 0 END), false)
  FROM unnest(name_keys) k WHERE k <> ''
$$;

-- The keys of the makes of cars sold in the United States since 1992. A dealership that is called
-- like one of them cannot be distinguished from the car.
CREATE OR REPLACE FUNCTION deal_sets.is_make(words_key text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT words_key = ANY ('{
    acura,alfaromeo,astonmartin,audi,bentley,bmw,buick,cadillac,chevrolet,chrysler,daewoo,daihatsu,dodge,
    eagle,ferrari,fiat,fisker,ford,freightliner,genesis,geo,gmc,honda,hummer,hyundai,infiniti,isuzu,jaguar,
    jeep,kia,lamborghini,landrover,lexus,lincoln,lotus,lucid,maserati,maybach,mazda,mclaren,mercedesbenz,
    mercury,mini,mitsubishi,nissan,oldsmobile,panoz,plymouth,polestar,pontiac,porsche,ram,rivian,rollsroyce,
    saab,saturn,scion,smart,srt,subaru,suzuki,tesla,toyota,vinfast,volkswagen,volvo
  }'::text[])
$$;

-- Ten digits with nothing but blanks and punctuation between, or seven with a dash or dot.
CREATE OR REPLACE FUNCTION deal_sets.has_telephone_number(words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT words ~ '([0-9][^A-Za-z0-9]*){10}|[0-9]{3}[-.][0-9]{4}' $$;

CREATE OR REPLACE FUNCTION deal_sets.has_vin(words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT words ~ '(^|[^A-Za-z0-9])(?=[A-Za-z0-9]{11})([A-Za-z]*[0-9]){4}'
$$;

CREATE OR REPLACE FUNCTION deal_sets.has_host(words text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT words ~* '//|www\.|[a-z0-9]\.(com|net|org|us|io|co|cars|biz|info)($|[^a-z0-9])'
$$;

-- No telephone number, no long number, no VIN, no host: so no address of any kind gets through
-- either.
CREATE OR REPLACE FUNCTION deal_sets.has_shape_of_car_words(part text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT part ~ '^[A-Za-z0-9 .,+/&''"()#:!*_[\]|-]{1,60}$' AND part !~ '[0-9]{5}'
    AND NOT deal_sets.has_telephone_number(part) AND NOT deal_sets.has_vin(part) AND NOT deal_sets.has_host(part)
$$;

-- The parts of a listing as they may be shown: make, model, trim and colour, each null when it may
-- not be.
CREATE OR REPLACE FUNCTION deal_sets.shown_parts(make text, model text, trim_level text, colour text, dealership text)
RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  parts text[] := ARRAY[make, model, trim_level, colour];
  keys text[] := ARRAY['', '', '', ''];
  name_keys text[] := deal_sets.name_keys(dealership);
  plain text;
BEGIN
  FOR i IN 1..4 LOOP
    parts[i] := normalize(btrim(parts[i], E' \t\n\r'), NFC);
    plain := deal_sets.plain_letters(parts[i]);
    IF deal_sets.has_shape_of_car_words(plain) THEN keys[i] := deal_sets.name_key(plain); ELSE parts[i] := NULL; END IF;
    IF keys[i] = ANY (name_keys) AND deal_sets.is_make(keys[i]) THEN
      keys[i] := '';
    ELSIF deal_sets.names_dealership(keys[i], name_keys) THEN
      parts[i] := NULL;
      keys[i] := '';
    END IF;
  END LOOP;
  -- A name that is spread over make, model and trim, or over colour, model and trim: trim, then
  -- colour, then model becomes unknown.
  IF deal_sets.names_dealership(keys[1] || keys[2] || keys[3], name_keys)
    OR deal_sets.names_dealership(keys[4] || keys[2] || keys[3], name_keys) THEN
    parts[3] := NULL;
    IF deal_sets.names_dealership(keys[4] || keys[2], name_keys) THEN parts[4] := NULL; END IF;
    IF deal_sets.names_dealership(keys[1] || keys[2], name_keys) THEN parts[2] := NULL; END IF;
  END IF;
  RETURN parts;
END $$;

-- A price of nothing, and one that no car has, are unknown.
CREATE OR REPLACE FUNCTION deal_sets.shown_list_price(cents bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN cents BETWEEN 1 AND 1000000000 THEN cents END $$;

-- Writers of price checks share this lock of their dealership, one that renames it takes it alone:
-- so the later of the two sees the other. The locks are some thousand for all dealerships, so that
-- an import of very many fits the server's lock table.
CREATE OR REPLACE FUNCTION deal_sets.dealership_lock_key(dealership uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 4611686018427387904 + (hashtextextended(dealership::text, 0) & 1023) $$;

-- The only writer of what is shown. Decided anew for a new row, when its dealership or its listing
-- changes, and when name_md5 is set to null.
CREATE OR REPLACE FUNCTION deal_sets.set_shown_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dealership record;
  parts text[];
BEGIN
  IF TG_OP = 'UPDATE' AND (
    NEW.dealership_id, NEW.name_md5, NEW.listing_year, NEW.listing_make, NEW.listing_model, NEW.listing_trim,
    NEW.listing_exterior_color, NEW.listing_mileage, NEW.listing_listed_at_cents
  ) IS NOT DISTINCT FROM (
    OLD.dealership_id, OLD.name_md5, OLD.listing_year, OLD.listing_make, OLD.listing_model, OLD.listing_trim,
    OLD.listing_exterior_color, OLD.listing_mileage, OLD.listing_listed_at_cents
  ) THEN
    NEW.shown_year := OLD.shown_year;
    NEW.shown_make := OLD.shown_make;
    NEW.shown_model := OLD.shown_model;
    NEW.shown_trim := OLD.shown_trim;
    NEW.shown_exterior_color := OLD.shown_exterior_color;
    NEW.shown_mileage := OLD.shown_mileage;
    NEW.shown_listed_at_cents := OLD.shown_listed_at_cents;
    NEW.shown_verified_partner := OLD.shown_verified_partner;
    NEW.hidden_parts := OLD.hidden_parts;
    RETURN NEW;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(deal_sets.dealership_lock_key(NEW.dealership_id));
  SELECT d.name, d.verified_partner INTO dealership FROM public.dealership d WHERE d.id = NEW.dealership_id;
  -- A row that a replica brings before its dealership shows no words.
  parts := CASE WHEN FOUND THEN deal_sets.shown_parts(
    NEW.listing_make, NEW.listing_model, NEW.listing_trim, NEW.listing_exterior_color, dealership.name) END;
  NEW.shown_year := NEW.listing_year;
  NEW.shown_make := parts[1];
  NEW.shown_model := parts[2];
  NEW.shown_trim := parts[3];
  NEW.shown_exterior_color := parts[4];
  NEW.shown_mileage := CASE WHEN NEW.listing_mileage <= 1000000 THEN NEW.listing_mileage END;
  NEW.shown_listed_at_cents := deal_sets.shown_list_price(NEW.listing_listed_at_cents);
  NEW.shown_verified_partner := coalesce(dealership.verified_partner, false);
  NEW.hidden_parts := num_nonnulls(
      nullif(btrim(NEW.listing_make), ''), nullif(btrim(NEW.listing_model), ''),
      nullif(btrim(NEW.listing_trim), ''), nullif(btrim(NEW.listing_exterior_color), ''))
    - num_nonnulls(NEW.shown_make, NEW.shown_model, NEW.shown_trim, NEW.shown_exterior_color);
  NEW.name_md5 := md5(dealership.name)::uuid;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_shown_listing BEFORE INSERT OR UPDATE ON public.price_check
  FOR EACH ROW EXECUTE FUNCTION deal_sets.set_shown_listing();

-- A dealership changes its name or its partner status: requests of many buyers follow.
CREATE OR REPLACE FUNCTION deal_sets.renew_shown_listings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  row_key record;
BEGIN
  PERFORM pg_advisory_xact_lock(deal_sets.dealership_lock_key(NEW.id));
  -- On Citus this runs on a shard, on every node: who renames touches the price checks, in the same
  -- transaction.
  IF TG_TABLE_NAME <> 'dealership' THEN RETURN NULL; END IF;
  -- One by one, in the order in which all writers change requests: a single statement marks in the
  -- order on disk.
  FOR row_key IN
    SELECT p.buyer_id, p.id FROM public.price_check p WHERE p.dealership_id = NEW.id
    ORDER BY p.buyer_id, p.request_id, p.id
  LOOP
    UPDATE public.price_check p SET name_md5 = NULL WHERE p.buyer_id = row_key.buyer_id AND p.id = row_key.id;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER renew_shown_listings AFTER UPDATE ON public.dealership FOR EACH ROW
  WHEN ((OLD.name, coalesce(OLD.verified_partner, false)) IS DISTINCT FROM (NEW.name, coalesce(NEW.verified_partner, false)))
  EXECUTE FUNCTION deal_sets.renew_shown_listings();

-- For a rebuild: has the listings of a buyer decided anew whose stored form is another than these
-- rules give.
CREATE OR REPLACE FUNCTION deal_sets.recheck_listings(buyer uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE public.price_check p SET name_md5 = NULL
  FROM public.dealership d
  WHERE p.buyer_id = buyer AND d.id = p.dealership_id AND ((
    p.name_md5, p.shown_verified_partner, p.shown_year, p.shown_mileage, p.shown_listed_at_cents,
    ARRAY[p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color]
  ) IS DISTINCT FROM (
    md5(d.name)::uuid, coalesce(d.verified_partner, false), p.listing_year::integer,
    CASE WHEN p.listing_mileage <= 1000000 THEN p.listing_mileage END,
    deal_sets.shown_list_price(p.listing_listed_at_cents),
    deal_sets.shown_parts(p.listing_make, p.listing_model, p.listing_trim, p.listing_exterior_color, d.name)
  ) OR p.hidden_parts <> num_nonnulls(
      nullif(btrim(p.listing_make), ''), nullif(btrim(p.listing_model), ''),
      nullif(btrim(p.listing_trim), ''), nullif(btrim(p.listing_exterior_color), ''))
    - num_nonnulls(p.shown_make, p.shown_model, p.shown_trim, p.shown_exterior_color)
  );
END $$;

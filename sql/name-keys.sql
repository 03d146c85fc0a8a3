-- The keys of a dealership's name: the form in which the name is compared with other text.

-- Replaces typographic signs with their plain forms and removes accents. The result has the same
-- number of letters.
CREATE OR REPLACE FUNCTION deal_sets.plain_letters(part text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(
    normalize(translate(part, U&'\2013\2014\2011\2019\2018\201C\201D\00AE\2122', $t$---''""$t$), NFD),
    U&'([A-Za-z])[\0300-\036F]', '\1', 'g')
$$;

-- The form in which names are compared: lower-case letters and digits only, with "and" in place of
-- "&".
CREATE OR REPLACE FUNCTION deal_sets.name_key(words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lower(regexp_replace(replace(deal_sets.plain_letters(words), '&', 'and'), '[^A-Za-z0-9]', '', 'g'))
$$;

-- Removes all legal forms, such as "LLC", from the end of a name. A legal form is matched as a
-- whole word, and dots in it are ignored. The masking of messages applies the same rule
-- (src/deal-sets/domain/dealership-name.ts); a test compares the two.
CREATE OR REPLACE FUNCTION deal_sets.without_legal_forms(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(translate(name, U&'\00A0\202F.', '  '),
    '([\s,()/+&]+(and[\s,()/+&]+)?'
    '(LLC|LC|LLP|LP|Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|Limited|PLLC|PC|GmbH))+[\s,()/+&]*$', '', 'i')
$$;

CREATE OR REPLACE FUNCTION deal_sets.without_and(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT regexp_replace(replace(name, '&', ' '), '\yand\y', ' ', 'gi') $$;

-- Returns all keys that name a dealership: with and without its legal form, with and without "and".
-- Some of them can be equal.
CREATE OR REPLACE FUNCTION deal_sets.name_keys(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY[
    deal_sets.name_key(name), deal_sets.name_key(deal_sets.without_and(name)),
    deal_sets.name_key(bare), deal_sets.name_key(deal_sets.without_and(bare))]
  FROM deal_sets.without_legal_forms(name) bare
$$;

-- Returns whether the words contain the dealership's name. A name of up to three characters must be
-- the whole text.
CREATE OR REPLACE FUNCTION deal_sets.names_dealership(words_key text, name_keys text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(bool_or(CASE WHEN char_length(k) < 4 THEN words_key = k ELSE strpos(words_key, k) > 0 END), false)
  FROM unnest(name_keys) k WHERE k <> ''
$$;

-- Returns whether the key is that of a make sold in the United States since 1992. The name of a
-- dealership that is exactly a make cannot be distinguished from the car's make.
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

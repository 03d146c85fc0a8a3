-- The keys of a dealership's name: the form in which the name is compared with other text. A text
-- names the dealership if its own key contains one of the keys of the name.
--
-- A key consists of letters and digits only. Text is turned into a key in these steps:
--   1. "™" and "℠" are removed, and the text is normalized to NFKD.
--   2. Upper case becomes lower case, and letters that NFKD does not take apart become plain ones:
--      ø o, ł l, đ and ð d, ħ h, ŧ t, ı i, ς σ, ß ss, æ ae, œ oe, þ th.
--   3. Marks and invisible characters are removed, and all dashes become "-".
--   4. "&" becomes "and", and every other character that is no letter or digit is removed. U+02B0
-- to U+02FF, U+2000 to U+2BFF and U+2E00 to U+2FFF contain no letters in this sense. The SQL code
-- covers the alphabets that names of dealerships use: it folds the case of Latin, Greek, Cyrillic,
-- Armenian and Georgian letters, and keeps the vowel signs of Indic scripts. The masking of
-- messages follows the same steps with the complete tables of Unicode, also on these keys.
--
-- Regular expressions and lower() use the collation "C", so that the result does not depend on the
-- collation of the database.

-- Returns what follows an ampersand, with the ampersand and with its HTML entity decoded, if it
-- begins one. src/deal-sets/domain/masking/folded-text.ts decodes messages with the same table.
CREATE OR REPLACE FUNCTION deal_sets.after_ampersand(p_rest text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  characters CONSTANT jsonb := '{
    "amp":"&", "apos":"''", "quot":"\"", "lt":"<", "gt":">", "nbsp":" ", "ensp":" ", "emsp":" ",
    "emsp13":" ", "emsp14":" ", "numsp":" ", "puncsp":" ", "thinsp":" ", "hairsp":" ", "ThinSpace":" ",
    "VeryThinSpace":" ", "MediumSpace":" ", "NonBreakingSpace":" ", "shy":"", "zwj":"", "zwnj":"",
    "lrm":"", "rlm":"", "NoBreak":"", "ZeroWidthSpace":"", "lsquo":"''", "rsquo":"''", "sbquo":"''",
    "ldquo":"\"", "rdquo":"\"", "bdquo":"\"", "laquo":"\"", "raquo":"\"", "prime":"''", "grave":"`",
    "acute":"''", "ndash":"-", "mdash":"-", "minus":"-", "hyphen":"-", "dash":"-", "bull":"•",
    "middot":"·", "hellip":"…", "copy":"©", "reg":"®", "trade":"™", "comma":",", "period":".", "colon":":",
    "sol":"/", "num":"#", "plus":"+", "commat":"@", "lowbar":"_", "lpar":"(", "rpar":")", "Tab":" ",
    "NewLine":"\n", "szlig":"ß", "aelig":"æ", "AElig":"Æ", "oelig":"œ", "OElig":"Œ", "eth":"ð", "ETH":"Ð",
    "thorn":"þ", "THORN":"Þ", "inodot":"ı"
  }';
  -- An encoded ampersand before the rest of another entity (`&amp;#39;`) occurs in a name that was
  -- encoded twice.
  entity text[] := regexp_match(p_rest COLLATE "C",
    '^((?:amp;|#0{0,20}38;|#[xX]0{0,20}26;){0,3}(?:#0{0,20}([0-9]{1,7});?|#[xX]0{0,20}([0-9a-fA-F]{1,6});?|([A-Za-z][A-Za-z0-9]{1,23});))');
  code integer := CASE WHEN entity[2] IS NOT NULL THEN entity[2]::integer
    ELSE ('x' || lpad(entity[3], 8, '0'))::bit(32)::integer END;
  decoded text := CASE WHEN entity[4] IS NOT NULL THEN coalesce(characters ->> entity[4], (regexp_match(
      entity[4] COLLATE "C",
      '^([A-Za-z])(?:grave|acute|circ|tilde|uml|ring|cedil|caron|slash|strok|breve|macr|ogon|dot)$'))[1])
    -- PostgreSQL has no text with the character 0 or half of a surrogate pair.
    WHEN code = 0 OR code BETWEEN 55296 AND 57343 THEN ''
    WHEN code <= 1114111 THEN chr(code) END;
BEGIN
  IF decoded IS NULL THEN
    -- Browsers also decode these entities without a semicolon.
    entity := regexp_match(p_rest COLLATE "C",
      '^((?:amp;|#0{0,20}38;|#[xX]0{0,20}26;){0,3}(nbsp|shy|amp|quot))');
    decoded := coalesce(characters ->> entity[2], '&');
  END IF;
  RETURN decoded || substr(p_rest, 1 + coalesce(char_length(entity[1]), 0));
END $$;

-- Decodes HTML entities. Suppliers send names as `Bob&#39;s Auto` or `Smith &amp; Sons`.
CREATE OR REPLACE FUNCTION deal_sets.without_entities(p_words text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  pieces text[] := string_to_array(p_words, '&');
BEGIN
  FOR i IN 2..coalesce(cardinality(pieces), 0) LOOP
    pieces[i] := deal_sets.after_ampersand(pieces[i]);
  END LOOP;
  RETURN array_to_string(pieces, '');
END $$;

-- Performs steps 1 to 3.
CREATE OR REPLACE FUNCTION deal_sets.folded(p_words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  -- In UTF-8, text that has as many bytes as characters is ASCII.
  SELECT CASE WHEN octet_length(p_words) = char_length(p_words) THEN lower(p_words COLLATE "C") ELSE
    regexp_replace(regexp_replace(
      replace(replace(replace(replace(translate(
          lower(normalize(translate(p_words, '™℠', ''), NFKD) COLLATE "C"),
          'øØłŁđĐðÐħĦŧŦıςẞÆÞ'
          'ŊŒƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎ'
          'ͰͲͶͿΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿ'
          'ЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘ'
          'ҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮ'
          'ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ'
          'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
          'oollddddhhttiσßæþ'
          'ŋœɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏ'
          'ͱͳͷϳαβγδεζηθικλμνξοπρστυφχψωϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽ'
          'ђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙ'
          'қҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯ'
          'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ'
          'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      '[\u00AD\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7'
      '\u0610-\u061A\u061C\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED'
      '\u115F\u1160\u17B4\u17B5\u180B-\u180F\u1AB0-\u1AFF\u1DC0-\u1DFF\u200B-\u200F\u202A-\u202E'
      '\u2060-\u206F\u20D0-\u20FF\u2DE0-\u2DFF\u302A-\u302D\u3099\u309A\uA66F-\uA672\uA674-\uA67D'
      '\uA69E\uA69F\uFE00-\uFE0F\uFE20-\uFE2F\uFEFF\uFFF0-\uFFFB\U000E0000-\U000E0FFF]+', '', 'g'),
    '[\u2010-\u2015\u2212]', '-', 'g')
  END
$$;

-- Performs step 4 on folded text.
CREATE OR REPLACE FUNCTION deal_sets.letters_and_digits(p_folded text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(replace(p_folded, '&', 'and') COLLATE "C",
    '([^a-z0-9\u00C0-\U0010FFFF]|[\u00D7\u00F7\u02B0-\u036F\u037E\u0387\u03F6\u0482\u055A-\u055F\u0589\u058A'
    '\u05BE\u05C0\u05C3\u05C6\u05F3\u05F4\u0600-\u060F\u061B-\u061F\u066A-\u066D\u06D4\u06DD\u06DE\u06E9\u06FD\u06FE'
    '\u0964\u0965\u0970\u0E3F\u0E4F\u0E5A\u0E5B\u10FB\u1360-\u1368\u1680\u17D4-\u17D6\u17D8-\u17DB\u2000-\u2BFF'
    '\u2E00-\u3004\u3008-\u3020\u3030\u3036\u3037\u303D-\u303F\u309B\u309C\u30A0\u30FB\uA830-\uA839\uE000-\uF8FF'
    '\uFD3E\uFD3F\uFE45\uFE46\uFFE0-\uFFFF\U0001F000-\U0001FAFF\U000E0000-\U0010FFFF])+', '', 'g')
$$;

-- Returns the key of the words, which is empty if they contain no letter or digit.
CREATE OR REPLACE FUNCTION deal_sets.name_key(p_words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT deal_sets.letters_and_digits(deal_sets.folded(p_words)) $$;

-- Removes HTML tags, comments and declarations from folded words. No tag begins with a number or a
-- blank. src/deal-sets/domain/masking/folded-text.ts removes the same tags from messages.
CREATE OR REPLACE FUNCTION deal_sets.without_tags(p_folded text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(p_folded COLLATE "C", '<([/?]?[a-z]|!)[^<>]*>', '', 'g')
$$;

-- Removes all legal forms, such as "LLC", from the end of a folded name. A legal form is matched as
-- a whole word, and dots in it are ignored.
CREATE OR REPLACE FUNCTION deal_sets.without_legal_forms(p_folded text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(replace(p_folded, '.', '') COLLATE "C",
    '([\s,;:()/+&|"]+(and[\s,;:()/+&|"]+)?'
    '(LLC|LC|LLP|LP|Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|Limited|PLLC|PC|GmbH))+[\s,;:()/+&|"]*$', '', 'i')
$$;

CREATE OR REPLACE FUNCTION deal_sets.without_and(p_folded text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(replace(p_folded, '&', ' ') COLLATE "C",
    '(?<![a-z0-9\u00C0-\U0010FFFF])and(?![a-z0-9\u00C0-\U0010FFFF])', ' ', 'g')
$$;

-- Returns whether the key is that of a make sold in the United States since 1992. The name of a
-- dealership that is exactly a make cannot be distinguished from the car's make.
CREATE OR REPLACE FUNCTION deal_sets.is_make(p_words_key text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_words_key = ANY ('{
    acura,alfaromeo,astonmartin,audi,bentley,bmw,buick,cadillac,chevrolet,chrysler,daewoo,daihatsu,dodge,
    eagle,ferrari,fiat,fisker,ford,freightliner,genesis,geo,gmc,honda,hummer,hyundai,infiniti,isuzu,jaguar,
    jeep,kia,lamborghini,landrover,lexus,lincoln,lotus,lucid,maserati,maybach,mazda,mclaren,mercedesbenz,
    mercury,mini,mitsubishi,nissan,oldsmobile,panoz,plymouth,polestar,pontiac,porsche,ram,rivian,rollsroyce,
    saab,saturn,scion,smart,srt,subaru,suzuki,tesla,toyota,vinfast,volkswagen,volvo
  }'::text[])
$$;

-- Returns the keys of a dealership's name, each once; none if the name is null. They are the keys
-- of the whole name and of each name after "dba" or "d/b/a", and, if they have at least eight
-- characters and are no make of cars, those of a name before " - ", "(", "#" or "dba" and of a name
-- without a leading "The". Each is included with and without its legal forms, and with and without
-- "and". HTML entities in the name are decoded first, and its HTML tags removed. The whole name is
-- included with its tags, too, because angle brackets can be part of a name.
CREATE OR REPLACE FUNCTION deal_sets.name_keys(p_name text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  with_tags text := deal_sets.folded(deal_sets.without_entities(p_name));
  folded text := deal_sets.without_tags(with_tags);
  -- The first of them precedes "dba", the others follow it.
  trade_names text[] := regexp_split_to_array(folded COLLATE "C",
    '(?<![a-z0-9\u00C0-\U0010FFFF])(d/b/a|d\.?b\.?a\.?)(?![a-z0-9\u00C0-\U0010FFFF])');
  names text[] := ARRAY[folded] || trade_names[2:]
    || CASE WHEN with_tags <> folded THEN ARRAY[with_tags] ELSE '{}' END;
  full_names integer := cardinality(names);
  words text;
  sign text;
  form text;
  spelling text;
  key text;
  keys text[] := '{}';
BEGIN
  IF p_name IS NULL THEN RETURN keys; END IF;
  IF cardinality(trade_names) > 1 THEN names := names || trade_names[1]; END IF;
  FOREACH words IN ARRAY names LOOP
    FOREACH sign IN ARRAY ARRAY[' - ', '(', '#'] LOOP
      IF strpos(words, sign) > 0 THEN names := names || split_part(words, sign, 1); END IF;
    END LOOP;
  END LOOP;
  FOREACH words IN ARRAY names LOOP
    IF starts_with(ltrim(words), 'the ') THEN names := names || substr(ltrim(words), 5); END IF;
  END LOOP;
  FOR i IN 1..cardinality(names) LOOP
    FOREACH form IN ARRAY ARRAY[names[i], deal_sets.without_legal_forms(names[i])] LOOP
      FOREACH spelling IN ARRAY ARRAY[form, deal_sets.without_and(form)] LOOP
        key := deal_sets.letters_and_digits(spelling);
        CONTINUE WHEN key = '' OR key = ANY (keys);
        CONTINUE WHEN i > full_names AND (char_length(key) < 8 OR deal_sets.is_make(key));
        keys := keys || key;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN keys;
END $$;

-- Returns whether the words contain the dealership's name. A name of up to three characters must be
-- the whole text.
CREATE OR REPLACE FUNCTION deal_sets.names_dealership(p_words_key text, p_name_keys text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(bool_or(CASE WHEN char_length(k) < 4 THEN p_words_key = k ELSE strpos(p_words_key, k) > 0 END), false)
  FROM unnest(p_name_keys) k WHERE k <> ''
$$;

-- Returns the keys of a dealership's name; null if there is no such dealership. The buyer's
-- statement reads the keys of a dealership that is still hidden from the buyer, in whose messages
-- the service masks the name. The service itself does not get the hidden name.
CREATE OR REPLACE FUNCTION deal_sets.dealership_name_keys(p_dealership_id uuid) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT deal_sets.name_keys(d.name) FROM deal_sets.dealership d WHERE d.id = p_dealership_id
$$;

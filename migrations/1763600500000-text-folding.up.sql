-- How text is folded before it is compared with the identifiers of dealerships, the patterns that identify a
-- dealership by themselves, and the terms of cars that are never a dealership's name.
--
-- Adds functions and one table; no row of an existing table changes and no request is stamped. What was
-- written before is compared by the new rules when `deal-sets rebuild` runs.

-- Combining marks (general category M) and default-ignorable characters, as the inside of a bracket
-- expression. Both are dropped: "Peñaloza" is compared as "penaloza", and invisible letters do not count.
CREATE FUNCTION dropped_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT
    '\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u061c'
    '\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0'
    '\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f'
    '\u08ca-\u08e1\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962-\u0963\u0981-\u0983\u09bc'
    '\u09be-\u09c4\u09c7-\u09c8\u09cb-\u09cd\u09d7\u09e2-\u09e3\u09fe\u0a01-\u0a03\u0a3c\u0a3e-\u0a42'
    '\u0a47-\u0a48\u0a4b-\u0a4d\u0a51\u0a70-\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0ac5\u0ac7-\u0ac9'
    '\u0acb-\u0acd\u0ae2-\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c\u0b3e-\u0b44\u0b47-\u0b48\u0b4b-\u0b4d'
    '\u0b55-\u0b57\u0b62-\u0b63\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c'
    '\u0c3e-\u0c44\u0c46-\u0c48\u0c4a-\u0c4d\u0c55-\u0c56\u0c62-\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cc4'
    '\u0cc6-\u0cc8\u0cca-\u0ccd\u0cd5-\u0cd6\u0ce2-\u0ce3\u0cf3\u0d00-\u0d03\u0d3b-\u0d3c\u0d3e-\u0d44'
    '\u0d46-\u0d48\u0d4a-\u0d4d\u0d57\u0d62-\u0d63\u0d81-\u0d83\u0dca\u0dcf-\u0dd4\u0dd6\u0dd8-\u0ddf'
    '\u0df2-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18-\u0f19\u0f35\u0f37'
    '\u0f39\u0f3e-\u0f3f\u0f71-\u0f84\u0f86-\u0f87\u0f8d-\u0f97\u0f99-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059'
    '\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u115f-\u1160'
    '\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17b4-\u17d3\u17dd\u180b-\u180f'
    '\u1885-\u1886\u18a9\u1920-\u192b\u1930-\u193b\u1a17-\u1a1b\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f\u1ab0-\u1add'
    '\u1ae0-\u1aeb\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37'
    '\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf7-\u1cf9\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f'
    '\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\u3164\ua66f-\ua672\ua674-\ua67d'
    '\ua69e-\ua69f\ua6f0-\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880-\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1'
    '\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43\uaa4c-\uaa4d'
    '\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea'
    '\uabec-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufff8\U000101fd\U000102e0'
    '\U00010376-\U0001037a\U00010a01-\U00010a03\U00010a05-\U00010a06\U00010a0c-\U00010a0f\U00010a38-\U00010a3a'
    '\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac'
    '\U00010efa-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046'
    '\U00011070\U00011073-\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102'
    '\U00011127-\U00011134\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0'
    '\U000111c9-\U000111cc\U000111ce-\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea'
    '\U00011300-\U00011303\U0001133b-\U0001133c\U0001133e-\U00011344\U00011347-\U00011348\U0001134b-\U0001134d'
    '\U00011357\U00011362-\U00011363\U00011366-\U0001136c\U00011370-\U00011374\U000113b8-\U000113c0\U000113c2'
    '\U000113c5\U000113c7-\U000113ca\U000113cc-\U000113d0\U000113d2\U000113e1-\U000113e2\U00011435-\U00011446'
    '\U0001145e\U000114b0-\U000114c3\U000115af-\U000115b5\U000115b8-\U000115c0\U000115dc-\U000115dd'
    '\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b\U0001182c-\U0001183a\U00011930-\U00011935'
    '\U00011937-\U00011938\U0001193b-\U0001193e\U00011940\U00011942-\U00011943\U000119d1-\U000119d7'
    '\U000119da-\U000119e0\U000119e4\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47'
    '\U00011a51-\U00011a5b\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c36\U00011c38-\U00011c3f'
    '\U00011c92-\U00011ca7\U00011ca9-\U00011cb6\U00011d31-\U00011d36\U00011d3a\U00011d3c-\U00011d3d'
    '\U00011d3f-\U00011d45\U00011d47\U00011d8a-\U00011d8e\U00011d90-\U00011d91\U00011d93-\U00011d97'
    '\U00011ef3-\U00011ef6\U00011f00-\U00011f01\U00011f03\U00011f34-\U00011f3a\U00011f3e-\U00011f42\U00011f5a'
    '\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f'
    '\U00016f51-\U00016f87\U00016f8f-\U00016f92\U00016fe4\U00016ff0-\U00016ff1\U0001bc9d-\U0001bc9e'
    '\U0001bca0-\U0001bca3\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d182'
    '\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c'
    '\U0001da75\U0001da84\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U0001e000-\U0001e006\U0001e008-\U0001e018'
    '\U0001e01b-\U0001e021\U0001e023-\U0001e024\U0001e026-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae'
    '\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef'
    '\U0001e6f5\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0000-\U000e0fff'
$$;

-- The decimal digits of Unicode but ASCII, ten of each script in order, for translate(), and as the inside of
-- a bracket expression: translate() compares every character with each of them, and few texts have any.
DO $do$
DECLARE
  zeros CONSTANT integer[] := ARRAY[
    1632,1776,1984,2406,2534,2662,2790,2918,3046,3174,3302,3430,3558,3664,3792,3872,4160,4240,6112,6160,
    6470,6608,6784,6800,6992,7088,7232,7248,42528,43216,43264,43472,43504,43600,44016,65296,66720,68912,
    68928,69734,69872,69942,70096,70384,70736,70864,71248,71360,71376,71386,71472,71904,72016,72688,
    72784,73040,73120,73184,73552,90416,92768,92864,93008,93552,118000,120782,120792,120802,120812,
    120822,123200,123632,124144,124401,125264,130032
  ];
BEGIN
  EXECUTE format($f$
    CREATE FUNCTION unicode_digits() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT %L::text $$
  $f$, (SELECT string_agg(chr(zero + digit), '' ORDER BY zero, digit) FROM unnest(zeros) AS z (zero), generate_series(0, 9) AS digit));
  EXECUTE format($f$
    CREATE FUNCTION unicode_digit_ranges() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT %L::text $$
  $f$, (SELECT string_agg(chr(zero) || '-' || chr(zero + 9), '' ORDER BY zero) FROM unnest(zeros) AS z (zero)));
END $do$;

-- A text with the digits of all scripts written in ASCII.
CREATE FUNCTION with_ascii_digits(input text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF input COLLATE "C" !~ ('[' || public.unicode_digit_ranges() || ']') THEN RETURN input; END IF;
  RETURN translate(input, public.unicode_digits(), repeat('0123456789', char_length(public.unicode_digits()) / 10));
END $$;

-- A text as a person reads it: references decoded, one form for each character, nothing invisible.
-- Patterns are searched in this form, before words are folded. No setting of its own, here and below: it
-- would cost more than the work on an ASCII text.
CREATE FUNCTION plain_text(input text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(input) = char_length(input) AND position('&' IN input) = 0 THEN RETURN input; END IF;
  RETURN public.with_ascii_digits(
    regexp_replace(normalize(public.html_decode(input), NFKC), '[' || public.dropped_characters() || ']', '', 'g'));
END $$;

-- The words of a text, folded, one space between them; '' for none.
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

-- What is left of a text that has neither letter nor digit.
CREATE OR REPLACE FUNCTION bare_signs(input text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(public.plain_text(input), '[[:space:][:cntrl:]]+', '', 'g')
$$;

-- Whether a plain text may match one of the patterns below: one quick test for the many that cannot. Digits
-- of a telephone number may be further apart here, as in a message they are in several words.
CREATE FUNCTION may_match_pattern(plain text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT plain ~ '[@/]|[wW]{3}\.|[A-HJ-NPR-Za-hj-npr-z0-9]{17}|[0-9]{3}[^A-Za-z0-9]*[0-9]{3}[^A-Za-z0-9]*[0-9]{4}'
$$;

-- An e-mail address, a URL (with its scheme, with www, or a host followed by a slash), or a VIN: 17
-- consecutive characters of its alphabet of which four at least are digits.
CREATE FUNCTION matches_contact_pattern(plain text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT plain ~ '[^\s@]@[^\s@]+\.[^\s@.]'
    OR plain COLLATE "und-x-icu" ~*
      '[a-z][a-z0-9+.-]*://|(?<![a-z0-9])www\.|[[:alnum:]]\.([[:alpha:]]{2,}|xn--[a-z0-9-]+)(:[0-9]+)?/'
    OR EXISTS (
      SELECT FROM regexp_matches(plain, '[A-HJ-NPR-Za-hj-npr-z0-9]{17,}', 'g') AS run,
        generate_series(1, char_length(run[1]) - 16) AS place
      WHERE char_length(regexp_replace(substr(run[1], place, 17), '[^0-9]', '', 'g')) >= 4)
$$;

-- A telephone number of North America: 3-3-4 digits with the usual separators, +1 before it or not, and no
-- digit beside it. \x03 separates the words of a message.
CREATE FUNCTION telephone_pattern() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '(?<![0-9])(\+?1[ ()./‐-―−\x03-]{0,3})?\(?[0-9]{3}[ ()./‐-―−\x03-]{0,3}[0-9]{3}[ ()./‐-―−\x03-]{0,3}[0-9]{4}(?![0-9])'
$$;

-- Names of two words or more that belong to cars: a dealership of such a name is not recognised by it,
-- except in its own requests. Folded as everything is that is compared.
CREATE TABLE car_term (words text COLLATE "C" PRIMARY KEY);
INSERT INTO car_term (words)
SELECT DISTINCT folded_words(term) FROM regexp_split_to_table('
Alfa Romeo, Aston Martin, Land Rover, Range Rover, Rolls-Royce, Mercedes-Benz, Mercedes-AMG, Mercedes-Maybach, Harley-Davidson,
General Motors, American Motors, De Tomaso, VinFast VF 8, VinFast VF 9,
Grand Cherokee, Grand Cherokee L, Grand Wagoneer, Grand Wagoneer L, Wrangler Unlimited, Wrangler 4xe, Grand Caravan, Town & Country,
Grand Highlander, Land Cruiser, Corolla Cross, Corolla Hatchback, RAV4 Hybrid, RAV4 Prime, Prius Prime, Prius Plug-in, Camry Hybrid,
Crown Signia, GR Corolla, GR Supra, GR86, FJ Cruiser, Highlander Hybrid, Sequoia Capstone, Tundra Hybrid, Tacoma Hybrid,
Accord Hybrid, Civic Hybrid, Civic Type R, Civic Si, CR-V Hybrid, HR-V, CR-V, CR-Z, BR-V, Accord Crosstour, Passport TrailSport, Clarity Plug-in,
Santa Fe, Santa Cruz, Santa Fe Hybrid, Ioniq 5, Ioniq 6, Ioniq 9, Ioniq 5 N, Sonata Hybrid, Tucson Hybrid, Elantra N, Elantra Hybrid, Kona Electric, Kona N, Genesis Coupe,
Sorento Hybrid, Sportage Hybrid, Niro EV, Kia EV6, Kia EV9, Carnival Hybrid, K5 GT,
Mustang Mach-E, Mustang GT, Mustang Mach 1, Crown Victoria, Bronco Sport, Explorer Sport Trac, Expedition Max, Expedition EL, Escape Hybrid, Maverick Hybrid,
F-150, F-250, F-350, F-450, F-150 Lightning, F-150 Raptor, Super Duty, Super Duty F-250, Super Duty F-350, Transit Connect, Transit Cargo, E-Transit, C-Max, Focus RS, Focus ST, Fiesta ST, Flex SEL,
Silverado 1500, Silverado 2500, Silverado 2500 HD, Silverado 2500HD, Silverado 3500, Silverado 3500HD, Silverado EV, Sierra 1500, Sierra 2500, Sierra 2500HD, Sierra 3500HD, Sierra EV, Hummer EV, Blazer EV, Equinox EV, Bolt EV, Bolt EUV, Corvette Stingray, Corvette Z06, Monte Carlo, Camaro SS, Suburban 1500, Express Cargo, Yukon XL, Yukon Denali, Acadia Denali, Terrain Denali, Savana Cargo, City Express, Cruze Limited, Impala Limited, Malibu Limited, Colorado ZR2,
Park Avenue, Enclave Avenir, Encore GX, Grand Prix, Grand Am, Firebird Trans Am, Trans Am, Escalade ESV, Escalade IQ, Town Car, Mark LT, Navigator L, Continental GT, Flying Spur,
Ram 1500, Ram 2500, Ram 3500, Ram 1500 Classic, ProMaster City, Ram ProMaster, Charger Daytona, Durango SRT, Challenger SRT, Viper GTS, Grand Caravan SXT, Pacifica Hybrid, Town and Country Touring, Hornet GT,
Wagoneer S, Wagoneer L, Cherokee Trailhawk, Gladiator Rubicon, Compass Latitude, Renegade Latitude, Liberty Sport,
Model 3, Model S, Model X, Model Y, Cybertruck Foundation Series, Range Rover Sport, Range Rover Evoque, Range Rover Velar, Discovery Sport, Defender 90, Defender 110, Defender 130, F-Type, F-Pace, E-Pace, I-Pace, X-Type, S-Type,
Atlas Cross Sport, Golf GTI, Golf R, Golf Alltrack, Golf SportWagen, Jetta GLI, e-Golf, ID.4, ID. Buzz, Beetle Convertible, New Beetle, Passat CC, Tiguan Limited, Q4 e-tron, Q8 e-tron, e-tron GT, A4 allroad, A6 allroad, RS Q8, TT RS, A5 Sportback, S5 Sportback, A3 Sportback,
C-Class, E-Class, S-Class, A-Class, B-Class, G-Class, R-Class, M-Class, GLE-Class, GLC-Class, GLA-Class, GLS-Class, CLA-Class, CLS-Class, SL-Class, SLK-Class, AMG GT, EQS SUV, EQE SUV, Sprinter Cargo, Metris Passenger,
2 Series, 3 Series, 4 Series, 5 Series, 6 Series, 7 Series, 8 Series, M3 Competition, M4 Competition, Gran Coupe, 2 Series Gran Coupe, 4 Series Gran Coupe, Gran Turismo, X3 M, X4 M, X5 M, X6 M, i4 eDrive40, i4 M50, Cooper S, Cooper Countryman, John Cooper Works, Mini Cooper, Mini Countryman, Cooper Clubman, Hardtop 2 Door, Hardtop 4 Door,
911 Carrera, 911 Turbo, 718 Boxster, 718 Cayman, Cayenne Coupe, Panamera Sport Turismo, Taycan Cross Turismo, 911 Targa, 911 GT3,
V60 Cross Country, V90 Cross Country, XC40 Recharge, XC60 Recharge, XC90 Recharge, Polestar 2, Polestar 3,
Outlander Sport, Outlander PHEV, Eclipse Cross, Lancer Evolution, Eclipse Spyder, CX-3, CX-30, CX-5, CX-7, CX-9, CX-50, CX-70, CX-90, MX-5 Miata, MX-5 Miata RF, MX-30, RX-8, Mazda 3, Mazda 6, Mazda CX-5,
Crosstrek Hybrid, Outback Wilderness, Forester Wilderness, Crosstrek Wilderness, Impreza WRX, WRX STI, BRZ tS, Rogue Sport, Rogue Select, Versa Note, Pathfinder Hybrid, Nissan Z, Frontier Crew Cab, Titan XD, GT-R, Murano CrossCabriolet, NV200 Compact Cargo, Kicks Play, Leaf Plus, QX50 Luxe, QX60 Pure, Q50 Red Sport, Q60 Red Sport,
RX 350, RX 350h, RX 450h, RX 500h, NX 250, NX 350, NX 350h, ES 300h, ES 350, IS 300, IS 350, IS 500, GX 460, GX 550, LX 570, LX 600, LX 700h, UX 200, UX 250h, UX 300h, LC 500, LS 500, RC 350, RC F, TX 350, TX 500h, RZ 450e, CT 200h,
TLX Type S, MDX Type S, Integra Type S, Integra A-Spec, RDX A-Spec, MDX A-Spec, TLX A-Spec, Type S, Type R, A-Spec, Advance Package, Technology Package, ILX Premium,
High Country, King Ranch, Texas Edition, Lone Star, Big Horn, Power Wagon, Tradesman Crew Cab, Limited Longhorn, Laramie Longhorn, Night Edition, Black Express, Built to Serve, Work Truck, Trail Boss, Custom Trail Boss, LT Trail Boss, LT Z71, Trail Edition, Trail Special Edition, Trail Hunter, TrailSport Elite, TRD Pro, TRD Off-Road, TRD Off Road, TRD Sport, TRD Sport Premium, TRD Lift, SR5, 1794 Edition, Nightshade Edition, Nightshade Special Edition, XSE V6, XLE Premium, XLE Hybrid, XLE Nav, LE Eco, SE Hybrid, Woodland Edition, Bronze Edition, Platinum Edition, Toyota Racing Edition, GR Sport, Circuit Edition, Capstone Hybrid,
EX-L, EX-L Navi, EX-T, LX-P, EX-L Hybrid, Sport-L, Sport Touring, Sport Hybrid, Sport Injection, Sport SE, Sport Special Edition, Sport 2.0T, Sport 1.5T, Touring Elite, Black Edition, Type R Limited Edition, Hybrid Touring, Sport Touring Hybrid,
SEL Premium, SEL Convenience, SEL Plus, SE Plus, Limited Hybrid, N Line, Calligraphy Night Edition, XRT Pro, Ultimate Hybrid, Blue Hybrid, Preferred Plus, Value Edition, LXS Premium, GT-Line, GT Line, X-Line, X-Pro, X Line, X Pro, SX Prestige, SX Turbo, EX Premium, Wind Technology, Light Long Range, Wave Technology, Sport Utility,
R/T Scat Pack, R/T Plus, Scat Pack, Scat Pack Widebody, SRT Hellcat, SRT Hellcat Widebody, SRT Hellcat Redeye, SRT 392, GT Plus, Citadel Anodized, Unlimited Sport, Unlimited Sahara, Unlimited Rubicon, Sport S, Sport Altitude, Willys Sport, Willys Wheeler, High Altitude, High Tide, North Edition, 80th Anniversary, 75th Anniversary, Summit Reserve, Latitude Plus, Latitude Lux, Sahara Altitude, Rubicon 392, Rubicon X, Freedom Edition, Desert Rated, Trail Rated, Series II, Series III, Carbide Edition, Obsidian Edition, Black Top, Blacktop Package,
XLT Luxury, Limited Max, Platinum Max, Stealth Edition, Stealth Performance, Timberline Edition, King Ranch Max, Big Bend, Outer Banks, Black Diamond, Heritage Edition, Heritage Limited, Wildtrak Sasquatch, Everglades Edition, First Edition, Badlands Sasquatch, Raptor R, ST-Line, ST Line, ST-Line Select, ST-Line Elite, EcoBoost Premium, GT Premium, California Special, California Route 1, Dark Horse, Shelby GT350, Shelby GT500, Premium Plus, Sport Appearance, Lariat Ultimate, Lariat Black, Crew Cab, Extended Cab, Double Cab, Quad Cab, Regular Cab, Super Cab, SuperCrew Cab, Mega Cab, Access Cab, King Cab, Short Bed, Long Bed, Long Box, Short Box, Standard Bed, Dually Crew Cab,
Denali Ultimate, AT4X AEV, Elevation Edition, SLE Elevation, SLT Premium, Midnight Edition, Sport Edition, Sport Redline, Redline Edition, RS Premier, Premier Plus, Essence Sport Touring, Sport Touring Avenir, Premium Luxury, Sport Platinum, V-Series, V-Series Blackwing, CT4-V Blackwing, CT5-V Blackwing, Black Label, Reserve II, Reserve I, Grand Touring, Grand Touring Reserve, Carbon Edition, Carbon Turbo, Premium Plus Package, Preferred Package, Turbo Premium Plus, Signature Edition, Grand Select, Club Brembo, Meridian Edition, Premium Package, Limited XT, Touring XT, Onyx Edition, Onyx Edition XT, Premium Edition, Sport Premium, Base Model, Limited Edition, Special Edition, Anniversary Edition, Launch Edition, Value Package, Value Leader, Convenience Package, Sport Package, Luxury Package, Winter Package, Tow Package, Off Road, All Wheel Drive, Front Wheel Drive, Rear Wheel Drive, Four Wheel Drive, Long Range, Standard Range, Standard Range Plus, Extended Range, Plug-in Hybrid, Electric Vehicle, Dual Motor, Tri Motor, Performance Package, Plaid Performance, Full Self Driving,
SV Premium, SL Premium, SR Premium, SV Technology, SV Special Edition, Midnight Edition Package, Rock Creek, Pro-4X, Pro-X, Desert Runner, Sport Performance, NISMO Performance, Platinum Reserve, Luxe Essential, Red Sport 400, Sensory AWD, Autograph AWD, F Sport, F SPORT Handling, F SPORT Performance, F SPORT Design, Ultra Luxury, Executive Package, Inspiration Series, Black Line, Overtrail Premium,
R-Line, R-Line Black, R Line, SE Technology, SEL R-Line, SEL Premium R-Line, Wolfsburg Edition, Peak Edition, Basecamp Edition, Trendline Plus, Pro S, Pro S Plus, S Line, S line, Premium Plus quattro, Prestige quattro, Black Optic, Titanium Design, Competition Package, M Sport, M Sport Package, Sport Line, Luxury Line, x Line, xDrive40i, sDrive30i, xDrive 40i, Shadowline Package, Night Package, AMG Line, 4MATIC Coupe, Exclusive Trim, Pinnacle Trim, R-Dynamic, R-Dynamic SE, R-Dynamic S, HSE Dynamic, HSE Luxury, HSE LUX, Autobiography LWB, Westminster Edition, County Edition, Momentum Plus, Inscription Expression, Plus Dark, Ultimate Dark, Ultimate Bright, Core Bright, Polestar Engineered,
Crystal Black Pearl, Crystal Black, Crystal White, Crystal White Pearl, Crystal Red, Black Pearl, White Pearl, Pearl White, Pearl Black, Platinum White, Platinum White Pearl, Sonic Gray Pearl, Sonic Gray, Modern Steel, Modern Steel Metallic, Lunar Silver, Lunar Silver Metallic, Radiant Red, Radiant Red Metallic, Rallye Red, Aegean Blue, Aegean Blue Metallic, Still Night Pearl, Canyon River Blue, Meteorite Gray, Urban Gray, Urban Gray Pearl, Solar Silver, Taffeta White, Cosmic Blue, Obsidian Blue, Obsidian Blue Pearl, Smoky Topaz, Boost Blue, Blazing Orange, Tidewater Blue, Snowflake White Pearl, San Marino Red, Milano Red,
Super White, Super White II, Blizzard Pearl, Wind Chill Pearl, Ice Cap, Midnight Black, Midnight Black Metallic, Attitude Black, Magnetic Gray, Magnetic Gray Metallic, Predawn Gray Mica, Celestial Silver, Celestial Silver Metallic, Classic Silver, Silver Sky, Lunar Rock, Army Green, Cavalry Blue, Voodoo Blue, Blue Crush, Blueprint, Barcelona Red, Ruby Flare Pearl, Ruby Red, Supersonic Red, Salsa Red, Solar Octane, Terra, Underground, Heavy Metal, Cement Gray, Quicksand Tan, Galactic Aqua, Reservoir Blue, Oxygen White, Solar Shift, Inferno Orange, Finish Line Red, Smith Blue,
Agate Black, Shadow Black, Oxford White, Star White, White Platinum, Rapid Red, Rapid Red Metallic, Race Red, Lucid Red, Hot Pepper Red, Atlas Blue, Antimatter Blue, Velocity Blue, Lightning Blue, Grabber Blue, Kona Blue, Vapor Blue, Area 51, Cactus Gray, Carbonized Gray, Iconic Silver, Ingot Silver, Stone Gray, Avalanche Gray, Desert Gold, Burgundy Velvet, Eruption Green, Cyber Orange, Code Orange, Grabber Yellow, Twister Orange, Magnetic Metallic, Triple Yellow, Stone Blue, Blue Flame, Kodiak Brown, Tuxedo Black, Sterling Gray, Absolute Black, Dark Matter, Azure Gray,
Summit White, Iridescent Pearl, Mosaic Black, Northsky Blue, Glacier Blue, Red Hot, Cherry Red Tintcoat, Radiant Red Tintcoat, Cajun Red Tintcoat, Black Cherry, Silver Ice, Satin Steel, Shadow Gray, Sterling Gray Metallic, Dark Ash, Sand Dune, Harvest Bronze, Auburn Metallic, Lakeshore Blue, Riptide Blue, Rapid Blue, Torch Red, Arctic White, Ceramic Matrix Gray, Hypersonic Gray, Elkhart Lake Blue, Accelerate Yellow, Amplify Orange, Long Beach Red, Onyx Black, Ebony Twilight, Quicksilver Metallic, White Frost, White Frost Tricoat, Volcanic Red, Cayenne Red, Pacific Blue, Dynamic Blue, Titanium Rush, Meteorite Metallic, Black Raven, Stellar Black, Crystal White Tricoat, Infrared Tintcoat, Rally Green, Nightfall Gray,
Bright White, Ivory Tri-Coat, Diamond Black, Diamond Black Crystal, Granite Crystal, Billet Silver, Billet Metallic, Silver Zynith, Baltic Gray, Velvet Red, Velvet Red Pearl, Flame Red, Delmonico Red, Red Pearl, Hydro Blue, Hydro Blue Pearl, Patriot Blue, Slate Blue, Ocean Blue, Bikini Pearl, Tactical Green, Sarge Green, Olive Green Pearl, Forged Blue, Rocky Mountain, Punk''n Metallic, Hellayella, Nacho Clear, Gobi Clear, Stinger Gray, Sting Gray, Destroyer Gray, Pitch Black, Octane Red, TorRed, Go Mango, Sinamon Stick, Plum Crazy, Sublime Metallic, B5 Blue, F8 Green, White Knuckle, Triple Nickel, Indigo Blue, Frostbite Pearl, Maximum Steel, Luxury Brown Pearl, Firecracker Red, High Velocity, Snazzberry Pearl, Earl Clear, Black Clearcoat, White Clearcoat, Light Cream, Brilliant Black, Jazz Blue, Fathom Blue, Ocean Blue Metallic,
Brilliant Silver, Gun Metallic, Super Black, Glacier White, Pearl White TriCoat, Aspen White, Aspen White TriCoat, Scarlet Ember, Monarch Orange, Champagne Silver, Boulder Gray, Ethos Gray, Deep Blue Pearl, Storm Blue, Electric Blue, Arctic Ice Blue, Baja Storm, Tactical Green Metallic, Red Alert, Lava Red, Caspian Blue, Coulis Red, Sunset Drift, Cayenne Metallic, Everest White, Obsidian Green, Fresh Powder, Kuro Black, Liquid Platinum, Graphite Shadow, Majestic White, Midnight Pine, Hagane Blue, Iridium Blue, Slate Gray, Mineral Black, Mineral Blue,
Abyss Black, Phantom Black, Quartz White, Serenity White, Hampton Gray, Portofino Gray, Shimmering Silver, Cyber Gray, Amazon Gray, Digital Teal, Intense Blue, Lapis Blue, Calypso Red, Scarlet Red, Ultimate Red, Lava Orange, Hyper White, Ecotronic Gray, Gravity Gold, Stormy Sea, Moonlight Cloud, Ultra Black, Ash Black, Snow White Pearl, Clear White, Glacial White Pearl, Glacial White, Aurora Black, Aurora Black Pearl, Ebony Black, Gravity Gray, Gravity Blue, Steel Gray, Everlasting Silver, Silky Silver, Sparkling Silver, Runway Red, Passion Red, Mars Orange, Wolf Gray, Neptune Blue, Sapphire Blue, Dawning Red, Vesta Blue, Dark Ocean Blue, Jungle Green, Jungle Wood Green, Sand Track, Volcanic Sand, Pacific Blue Metallic,
Soul Red, Soul Red Crystal, Soul Red Crystal Metallic, Machine Gray, Machine Gray Metallic, Jet Black, Jet Black Mica, Snowflake White, Snowflake White Pearl Mica, Polymetal Gray, Deep Crystal Blue, Deep Crystal Blue Mica, Eternal Blue, Sonic Silver, Platinum Quartz, Rhodium White, Zircon Sand, Ceramic Metallic, Ingot Blue, Wind Chill, Artisan Red, Titanium Flash, Crystal Black Silica, Crystal White Pearl Silica, Ice Silver, Magnetite Gray, Geyser Blue, Horizon Blue, Sapphire Blue Pearl, World Rally Blue, WR Blue, WR Blue Pearl, Lapis Blue Pearl, Pure Red, Crimson Red Pearl, Autumn Green, Cascade Green Silica, Cool Gray Khaki, Plasma Yellow, Brilliant Bronze, Cinnamon Brown Pearl, Alpine Green, Sun Blaze Pearl, Offshore Blue, Oasis Blue, River Rock Pearl, Ceramic White, Solar Orange,
Deep Black, Deep Black Pearl, Pure White, Oryx White, Candy White, Platinum Gray, Pure Gray, Pyrite Silver, Reflex Silver, Tornado Red, Kings Red, Aurora Red, Cardinal Red, Tourmaline Blue, Lapiz Blue, Cornflower Blue, Silk Blue, Night Blue, Moonstone Gray, Opal White, Mountain Lake Blue, Racing Green, Kingfisher Blue, Brilliant Black, Mythos Black, Ibis White, Glacier White Metallic, Navarra Blue, Ultra Blue, Turbo Blue, Daytona Gray, Manhattan Gray, Chronos Gray, Nano Gray, Quantum Gray, Florett Silver, Tango Red, Progressive Red, District Green, Typhoon Gray, Arrow Gray, Pulse Orange, Python Yellow, Ascari Blue, Alpine White, Jet Black, Black Sapphire, Black Sapphire Metallic, Carbon Black, Mineral White, Mineral Gray, Glacier Silver, Skyscraper Gray, Brooklyn Grey, Dravit Grey, Phytonic Blue, Portimao Blue, Tanzanite Blue, Estoril Blue, Toronto Red, Melbourne Red, Sunset Orange, Isle of Man Green, Sao Paulo Yellow, Frozen Black, Individual Color, Chili Red, Midnight Black II, Pepper White, Nanuq White, British Racing Green, Rebel Green, Island Blue, Starlight Blue, Moonwalk Grey, Melting Silver, Thunder Grey, Enigmatic Black, Polar White, Obsidian Black, Iridium Silver, Selenite Grey, Mountain Grey, Mojave Silver, Lunar Blue, Brilliant Blue, Nautical Blue, Cavansite Blue, Diamond White, Cardinal Red Metallic, Jupiter Red, Hyacinth Red, Emerald Green, Graphite Grey, Selenite Gray, Cirrus Silver, Spectral Blue, Night Black, Manufaktur Diamond White, Santorini Black, Fuji White, Yulong White, Carpathian Grey, Eiger Grey, Hakuba Silver, Byron Blue, Firenze Red, Portofino Blue, Tasman Blue, Pangea Green, Gondwana Stone, Narvik Black, Varesine Blue, Guards Red, Racing Yellow, GT Silver, Miami Blue, Gentian Blue, Shark Blue, Carrara White, Jet Black Metallic, Volcano Grey, Agate Grey, Dolomite Silver, Frozen Blue, Python Green, Lava Orange, Crystal White, Onyx Black, Denim Blue, Pine Grey, Thunder Grey, Fusion Red, Silver Dawn, Vapour Grey, Cloud Blue, Bright Dusk, Platinum Grey, Savile Grey, Osmium Grey, Birch Light,
Eminent White Pearl, Eminent White, Ultra White, Starfire Pearl, Caviar, Atomic Silver, Nebula Gray, Nebula Gray Pearl, Nightfall Mica, Matador Red Mica, Infrared Red, Redline Red, Ultrasonic Blue, Grecian Water, Cloudburst Gray, Iridium Gray, Incognito Gray, Nori Green Pearl, Copper Crest, Heat Blue, Flare Yellow, Obsidian Black, Majestic Black, Majestic Black Pearl, Platinum White Pearl, Apex Blue, Apex Blue Pearl, Performance Red, Performance Red Pearl, Phantom Violet, Phantom Violet Pearl, Fathom Blue Pearl, Liquid Carbon, Canyon Bronze, Tiger Eye Pearl, Solar Silver Metallic, Uyuni White, Vik Black, Savile Silver, Makalu Gray, Adriatic Blue, Cardiff Green, Mauna Red, Havana Red, Siberian Ice, Storm Bay, Himalayan Gray, Lhasa Blue,
Pearl White Multi-Coat, Solid Black, Deep Blue Metallic, Midnight Silver, Midnight Silver Metallic, Midnight Cherry Red, Red Multi-Coat, Stealth Grey, Ultra Red, Quicksilver, Launch Green, Rivian Blue, El Cap Granite, Forest Green, Glacier White, LA Silver, Limestone, Compass Yellow, Stellar White, Infinite Black, Cosmos Silver, Quantum Grey, Zenith Red,
Dark Blue, Light Blue, Dark Green, Light Green, Dark Gray, Dark Grey, Light Gray, Light Grey, Dark Red, Dark Brown, Light Brown, Navy Blue, Royal Blue, Sky Blue, Baby Blue, Midnight Blue, Ocean Green, Sea Green, Lime Green, Racing Red, Candy Apple Red, Fire Red, Wine Red, Rose Gold, Bright Red, Bright Blue, Bright Silver, Bright Yellow, Gun Metal, Metallic Silver, Metallic Black, Metallic Gray, Metallic Blue, Metallic Red, Gloss Black, Matte Black, Satin Black, Satin White, Off White, Cream White, Silver Metallic, Black Metallic, White Metallic, Gray Metallic, Blue Metallic, Red Metallic, Green Metallic, Black Mica, White Diamond, Black Diamond Pearl, Black Onyx, Silver Pearl, Blue Pearl, Gray Pearl, Green Pearl, Gold Mist, Champagne Gold, Desert Sand, Desert Tan, Burnt Orange, Two Tone
', ',\s*') AS term WHERE btrim(term) <> ''
ON CONFLICT DO NOTHING;
DELETE FROM car_term WHERE words = '' OR position(' ' IN words) = 0;

-- Named references of HTML that stand for ASCII punctuation, or for a character that is not visible, carry
-- that character. As blanks they cut what a reader sees as one piece: `bob&commat;cars.example` was no e-mail
-- address, `1HGCM82&shy;633A004352` no VIN.
--
-- Corrects internal rows; no request is stamped. What was written before is compared by the corrected
-- references when `deal-sets rebuild --listings` runs. Versions of the service that do not know them work on.
UPDATE html_entity e SET value = c.value
FROM (
  SELECT unnest(string_to_array(names, ' ')), value FROM (VALUES
    ('apos', ''''), ('ast midast', '*'), ('bsol', '\'), ('colon', ':'), ('comma', ','), ('commat', '@'),
    ('DiacriticalGrave grave', '`'), ('dollar', '$'), ('equals', '='), ('excl', '!'), ('GT gt', '>'), ('Hat', '^'),
    ('lbrace lcub', '{'), ('lbrack lsqb', '['), ('lowbar UnderBar', '_'), ('lpar', '('), ('LT lt', '<'),
    ('num', '#'), ('percnt', '%'), ('period', '.'), ('plus', '+'), ('quest', '?'), ('QUOT quot', '"'),
    ('rbrace rcub', '}'), ('rbrack rsqb', ']'), ('rpar', ')'), ('semi', ';'), ('sol', '/'),
    ('verbar vert VerticalLine', '|'),
    ('shy', U&'\00AD'), ('DownBreve', U&'\0311'),
    ('NegativeMediumSpace NegativeThickSpace NegativeThinSpace NegativeVeryThinSpace ZeroWidthSpace', U&'\200B'),
    ('zwnj', U&'\200C'), ('zwj', U&'\200D'), ('lrm', U&'\200E'), ('rlm', U&'\200F'), ('NoBreak', U&'\2060'),
    ('af ApplyFunction', U&'\2061'), ('it InvisibleTimes', U&'\2062'), ('ic InvisibleComma', U&'\2063'),
    ('tdot TripleDot', U&'\20DB'), ('DotDot', U&'\20DC')
  ) AS v (names, value)
) AS c (name, value)
WHERE e.name = c.name;

-- The identifiers of dealerships that are written with references.
ALTER TABLE dealership DISABLE TRIGGER dealership_changed;
UPDATE dealership SET whole_keys = whole_keys
WHERE position('&' IN concat_ws(' ', name, phone, email, website)) > 0;
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_changed;

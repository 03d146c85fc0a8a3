-- They are blanks again. No request is stamped.
UPDATE html_entity SET value = ' '
WHERE value !~ '[[:alnum:]]' AND value NOT IN ('&', ' ') AND (
  value COLLATE "C" ~ '^[\x21-\x7e]$'
  OR value IN (U&'\00AD', U&'\0311', U&'\200B', U&'\200C', U&'\200D', U&'\200E', U&'\200F', U&'\2060', U&'\2061',
    U&'\2062', U&'\2063', U&'\20DB', U&'\20DC'));

ALTER TABLE dealership DISABLE TRIGGER dealership_changed;
UPDATE dealership SET whole_keys = whole_keys
WHERE position('&' IN concat_ws(' ', name, phone, email, website)) > 0;
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_changed;

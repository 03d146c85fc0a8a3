DROP TRIGGER dealership_takes_keys ON dealership;
DROP FUNCTION clean_listings(uuid[], uuid[]), names_dealership(text, text[], text[]), dealership_takes_keys();
ALTER TABLE dealership DROP COLUMN whole_keys, DROP COLUMN loose_keys;
DROP FUNCTION folded(text), folded_words(text), bare_signs(text), listing_text(text), html_decode(text), html_character(text);
DROP TABLE html_entity;

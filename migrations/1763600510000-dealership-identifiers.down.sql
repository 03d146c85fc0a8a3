DROP FUNCTION find_identifiers(uuid[], uuid[], text[], boolean), runs_from(text[], integer);
DROP TRIGGER dealership_a_identifiers ON dealership;
DROP FUNCTION set_dealership_identifiers();
DROP TABLE dealership_identifier;
-- As it was before.
CREATE OR REPLACE FUNCTION dealership_takes_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  name_words text := folded_words(NEW.name);
  name_key text := replace(name_words, ' ', '');
  host_key text := folded(substring(lower(listing_text(html_decode(NEW.website)))
    FROM '^(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)'));
  email_key text := folded(NEW.email);
  phone_key text := folded(NEW.phone);
  digits text := regexp_replace(phone_key, '[^0-9]', '', 'g');
BEGIN
  IF name_key = '' THEN name_key := bare_signs(NEW.name); END IF;
  -- The national number: callers leave the country code out, and an extension is not the number.
  IF char_length(digits) > 10 THEN
    digits := left(regexp_replace(digits, '^0*1?', ''), 10);
  END IF;
  -- A number that is spelled in letters is compared as it is spelled.
  IF phone_key !~ '[[:alpha:]]' OR phone_key !~ '[0-9]{3}' OR char_length(phone_key) < 7 THEN
    phone_key := NULL;
  END IF;
  NEW.whole_keys := ARRAY(
    SELECT DISTINCT key FROM unnest(ARRAY[name_key, host_key, email_key,
      regexp_replace(phone_key, '^1', ''), CASE WHEN char_length(digits) >= 7 THEN digits END]) AS key WHERE key <> '');
  NEW.loose_keys := ARRAY(
    SELECT DISTINCT key FROM unnest(ARRAY[
      CASE WHEN position(' ' IN name_words) > 0 AND char_length(name_key) >= 10 THEN name_key END,
      CASE WHEN char_length(email_key) >= 10 THEN email_key END,
      CASE WHEN char_length(digits) = 10 THEN digits END]) AS key WHERE key <> '');
  RETURN NEW;
END $$;
DROP TRIGGER dealership_takes_keys ON dealership;
CREATE TRIGGER dealership_takes_keys
  BEFORE INSERT OR UPDATE OF name, phone, email, website, whole_keys, loose_keys ON dealership
  FOR EACH ROW EXECUTE FUNCTION dealership_takes_keys();
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_takes_keys;
ALTER TABLE dealership DROP COLUMN record_name;
DROP FUNCTION own_mail_domain(text), registered_domain(text), without_legal_form(text);
ALTER TABLE dealership DISABLE TRIGGER dealership_changed;
UPDATE dealership SET whole_keys = whole_keys;
ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_changed;

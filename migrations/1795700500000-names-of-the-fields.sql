-- Columns of the read model have the names of the fields that they become, and the trim of a listing
-- has another name than the trim that a buyer asked for.
ALTER TABLE deal_sets.request_feed RENAME COLUMN open_items TO needs_you;
ALTER TABLE deal_sets.request_feed RENAME COLUMN car_trim TO listed_trim;
ALTER TABLE deal_sets.request_feed RENAME COLUMN hero_distance_miles TO lowest_written_distance_miles;
ALTER TABLE deal_sets.request_feed RENAME COLUMN is_hero_seen TO is_lowest_written_seen;

-- Functions whose parameters or columns have other names cannot be replaced. The files of sql/ create
-- them again in the same transaction.
DROP FUNCTION IF EXISTS deal_sets.request_summary(uuid, uuid[]),
  deal_sets.folded(text), deal_sets.letters_and_digits(text), deal_sets.name_key(text),
  deal_sets.without_legal_forms(text), deal_sets.without_and(text), deal_sets.is_make(text),
  deal_sets.name_keys(text), deal_sets.plain_letters(text), deal_sets.has_telephone_number(text),
  deal_sets.has_zip_code(text), deal_sets.has_vin(text), deal_sets.with_ended_hosts(text),
  deal_sets.has_host(text), deal_sets.has_long_host(text), deal_sets.has_shape_of_car_words(text),
  deal_sets.is_unknown(text), deal_sets.has_grouped_telephone_number(text),
  deal_sets.has_right_check_digit(text), deal_sets.has_spread_vin(text);

-- What every reader of a price check derives from it: whether the buyer sees the dealership, whether
-- the price is in writing, and the state of the row (contract, section 3.1). A price in writing
-- always has an amount (price_check_price_whole). A row that has ended stays ended; otherwise, an
-- answer for a different car takes precedence over a written price.
--
-- Adding the columns rewrites the table, which nothing can read or write meanwhile.
ALTER TABLE deal_sets.price_check
  ADD COLUMN is_seen boolean NOT NULL GENERATED ALWAYS AS (unlocked_at IS NOT NULL OR chosen_at IS NOT NULL) STORED,
  ADD COLUMN is_written boolean NOT NULL GENERATED ALWAYS AS (written_at IS NOT NULL) STORED,
  ADD COLUMN state text NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN ended IS NOT NULL THEN 'ended'
      WHEN answer = 'different_car' THEN 'different_car'
      WHEN written_at IS NOT NULL THEN 'written'
      ELSE 'waiting'
    END
  ) STORED;

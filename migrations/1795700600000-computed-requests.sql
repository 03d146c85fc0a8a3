-- A request that can be read has the values that its entry in the list needs. They are null only
-- until the commit that inserts the request computes them. Stored rows were computed, so PostgreSQL
-- need not read the table to validate them.
ALTER TABLE deal_sets.request_feed ADD CONSTRAINT request_feed_computed CHECK (
  needs_recompute
  OR num_nulls(requested_at, has_ended, is_archived, has_finished, needs_you) = 0
    AND (kind = 'single' OR num_nulls(car_year, car_make, car_model, written, waiting, different_car, ended,
      ended_with_price, closed_with_price) = 0)
) NOT VALID;

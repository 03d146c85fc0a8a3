-- Prints one line of JSON for each of the newest buyers: what no response to an assistant of this
-- buyer may contain. `psql --set buyers=100` sets their number. Run it as the owner of the tables,
-- because the reading roles may not read contacts.
WITH newest AS (
  SELECT buyer_id, max(requested_at) AS requested_at
  FROM deal_sets.price_check
  GROUP BY buyer_id
  ORDER BY requested_at DESC
  LIMIT :buyers
)
SELECT json_build_object(
  'buyerId', buyer_id,
  'zips', (
    SELECT coalesce(json_agg(DISTINCT buyer_zip), '[]')
    FROM deal_sets.deal_set
    WHERE deal_set.buyer_id = newest.buyer_id AND buyer_zip IS NOT NULL
  ),
  -- The cars that the buyer requested. An assistant may get these words.
  'cars', (
    SELECT coalesce(json_agg(DISTINCT word), '[]')
    FROM deal_sets.deal_set, unnest(ARRAY[car_make, car_model]) AS word
    WHERE deal_set.buyer_id = newest.buyer_id
  ),
  'dealerships', (
    SELECT json_agg(DISTINCT jsonb_build_object(
      'name', name, 'phone', phone, 'email', email, 'website', website
    ))
    FROM deal_sets.price_check JOIN deal_sets.dealership ON dealership.id = dealership_id
    WHERE price_check.buyer_id = newest.buyer_id
  )
)
FROM newest

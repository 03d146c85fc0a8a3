-- Moves the tables and domains of earlier versions from the schema public to deal_sets. It needs an
-- ACCESS EXCLUSIVE lock of each table, but rewrites none.
DO $$
DECLARE
  name text;
BEGIN
  IF to_regclass('public.schema_code') IS NULL THEN RETURN; END IF;
  FOREACH name IN ARRAY ARRAY['cents', 'token', 'short_text', 'visible_text', 'car_year', 'miles', 'instant'] LOOP
    EXECUTE format('ALTER DOMAIN public.%I SET SCHEMA deal_sets', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['buyer', 'erased_buyer', 'dealership', 'buyer_session', 'assistant_grant', 'deal_set',
    'price_check', 'question', 'draft', 'reply', 'request_feed', 'schema_code']
  LOOP
    EXECUTE format('ALTER TABLE public.%I SET SCHEMA deal_sets', name);
  END LOOP;
END $$;

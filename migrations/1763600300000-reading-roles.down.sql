DO $$
DECLARE
  reading text;
BEGIN
  FOREACH reading IN ARRAY ARRAY['deal_sets_reader', 'deal_sets_assistant'] LOOP
    -- Takes back what this database granted; the role itself stays while another database uses it.
    EXECUTE format('DROP OWNED BY %I', reading);
    BEGIN
      EXECUTE format('DROP ROLE %I', reading);
    EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
    END;
  END LOOP;
END $$;

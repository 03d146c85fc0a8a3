DO $$
BEGIN
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
END $$;
GRANT SELECT ON schema_migration, buyer, buyer_session, assistant_grant, deal_set, request_feed, question, draft, reply
  TO deal_sets_reader;
GRANT SELECT ON reply, request_feed TO deal_sets_assistant;

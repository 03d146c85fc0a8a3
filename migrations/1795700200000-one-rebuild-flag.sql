-- One flag states that the rules of stored rows have changed since the last complete rebuild.
ALTER TABLE deal_sets.schema_code ADD COLUMN needs_rebuild boolean NOT NULL DEFAULT false;
UPDATE deal_sets.schema_code SET needs_rebuild = rules_hash <> rebuilt_hash;
ALTER TABLE deal_sets.schema_code DROP COLUMN rebuilt_hash, DROP COLUMN rebuilt_to;

-- On one PostgreSQL, the trigger of a dealership renews its price checks, and in a distributed
-- database the import does it by two other functions, so nothing calls this function any more.
DROP FUNCTION IF EXISTS deal_sets.renew_imported_dealerships(uuid[], uuid[]);

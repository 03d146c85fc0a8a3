-- The name for which a listing was decided, and the number of its parts that are not shown, are no
-- longer stored.
DROP INDEX deal_sets.price_check_hidden;
ALTER TABLE deal_sets.price_check DROP COLUMN name_md5, DROP COLUMN hidden_parts;

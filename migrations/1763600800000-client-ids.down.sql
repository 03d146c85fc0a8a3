-- Fails while a grant has a client id that is no token: delete such grants first.
ALTER TABLE assistant_grant
  DROP CONSTRAINT assistant_grant_client_id_check,
  ALTER COLUMN client_id TYPE token;

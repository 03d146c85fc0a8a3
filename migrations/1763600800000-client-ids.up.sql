-- An assistant's id may be the address of its metadata document, which is longer than a token and holds
-- a slash. An assistant never reads the column, so it may hold more than tokens may.
ALTER TABLE assistant_grant
  ALTER COLUMN client_id TYPE text,
  ADD CONSTRAINT assistant_grant_client_id_check
    CHECK (client_id ~ '^[\x21-\x7e]+$' AND char_length(client_id) <= 256);

-- When an approval ends by itself; null if it does not. The domain `instant` would rewrite the table
-- while sign-in waits, so its condition is a check of the column. Every stored row has null here, so
-- there is nothing to validate.
ALTER TABLE assistant_grant ADD COLUMN expires_at timestamptz;
ALTER TABLE assistant_grant ADD CONSTRAINT assistant_grant_expires_at_check
  CHECK (expires_at >= timestamptz '0001-01-01 00:00:00+00' AND expires_at < timestamptz '10000-01-01 00:00:00+00')
  NOT VALID;

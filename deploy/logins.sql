-- Creates the two logins of the service, each a member of one reading role that `deal-sets migrate`
-- creates. Run this file after that command, as a user who may create roles. Run it again to change
-- the passwords:
--   READER_PASSWORD_FILE=… ASSISTANT_PASSWORD_FILE=… psql --set=ON_ERROR_STOP=1 \
--     --single-transaction --file=deploy/logins.sql postgres://deal_sets_owner@host:5432/deal_sets
-- Without these files, READER_PASSWORD and ASSISTANT_PASSWORD contain the passwords.
\getenv reader_password READER_PASSWORD
\getenv reader_password_file READER_PASSWORD_FILE
\if :{?reader_password_file}
\set reader_password `cat "$READER_PASSWORD_FILE"`
\endif
\getenv assistant_password ASSISTANT_PASSWORD
\getenv assistant_password_file ASSISTANT_PASSWORD_FILE
\if :{?assistant_password_file}
\set assistant_password `cat "$ASSISTANT_PASSWORD_FILE"`
\endif
-- After a failed `cat`, psql continues with an empty text, which would clear the password of the
-- login.
\if :{?reader_password}
\else
\set reader_password ''
\endif
\if :{?assistant_password}
\else
\set assistant_password ''
\endif
SELECT :'reader_password' = '' AS no_reader_password,
  :'assistant_password' = '' AS no_assistant_password \gset
\if :no_reader_password
DO $$ BEGIN RAISE 'No login was changed: READER_PASSWORD is not set, or READER_PASSWORD_FILE names a file that is empty or cannot be read'; END $$;
\endif
\if :no_assistant_password
DO $$ BEGIN RAISE 'No login was changed: ASSISTANT_PASSWORD is not set, or ASSISTANT_PASSWORD_FILE names a file that is empty or cannot be read'; END $$;
\endif
DO $$
DECLARE
  kind text;
  login text;
  setting text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['reader', 'assistant'] LOOP
    login := format('deal_sets_%s_login', kind);
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', login);
    END IF;
    EXECUTE format('GRANT %I TO %I', 'deal_sets_' || kind, login);
    -- A member does not inherit the settings of a role.
    FOR setting IN SELECT unnest(rolconfig) FROM pg_roles WHERE rolname = 'deal_sets_' || kind LOOP
      EXECUTE format('ALTER ROLE %I SET %I = %L', login, split_part(setting, '=', 1), split_part(setting, '=', 2));
    END LOOP;
  END LOOP;
END
$$;
ALTER ROLE deal_sets_reader_login PASSWORD :'reader_password';
ALTER ROLE deal_sets_assistant_login PASSWORD :'assistant_password';

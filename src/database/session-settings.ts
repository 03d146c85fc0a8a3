import { CONTRACT_DEADLINE_MS } from '../kernel/deadline.js';
import type { Statement } from './cancellable-reader.js';

/**
 * Settings on which the form of values in results depends. A role or a database may have other
 * defaults, which must change neither a response nor an export.
 */
export const OUTPUT_SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
} as const;

/**
 * Settings of each session that reads. `sql/roles.sql` has the same list for the reading roles, and
 * `deploy/logins.sql` copies it from there to the logins. Defaults of the reading role are not
 * enough for other logins, because they apply neither after `SET ROLE` nor to a member of the role.
 */
export const READING_SETTINGS = {
  default_transaction_read_only: 'on',
  statement_timeout: `${CONTRACT_DEADLINE_MS / 1_000}s`,
  idle_in_transaction_session_timeout: '10s',
  // Every read selects one buyer by index, so one plan serves all of them, and planning costs more
  // than the read.
  plan_cache_mode: 'force_generic_plan',
  ...OUTPUT_SETTINGS,
} as const;

/** Selects the names of the output settings that a session has with another effect. */
export const OTHER_OUTPUT_SETTINGS: Statement<{ readonly name: string }> = {
  name: 'other_output_settings',
  text: `SELECT name FROM (VALUES
  ('timezone', current_setting('timezone') IN ('UTC', 'Etc/UTC')),
  ('datestyle', current_setting('datestyle') LIKE 'ISO%'),
  ('extra_float_digits', current_setting('extra_float_digits')::integer > 0),
  ('bytea_output', current_setting('bytea_output') = 'hex'),
  ('standard_conforming_strings', current_setting('standard_conforming_strings') = 'on')
) setting (name, is_right) WHERE NOT is_right`,
};

/** Sets the output settings for the rest of the session. */
export const SET_OUTPUT = statements('SET');
/** Sets the output settings until the end of the transaction. */
export const SET_LOCAL_OUTPUT = statements('SET LOCAL');

function statements(set: string): string {
  return Object.entries(OUTPUT_SETTINGS)
    .map(([name, value]) => `${set} ${name} TO '${value}'`)
    .join('; ');
}

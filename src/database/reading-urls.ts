import type { DatabaseOptions } from '../config/settings.js';
import type { ByPrincipalType, PrincipalType } from '../kernel/principal.js';

/** The database role of each principal type, as the migrations make them. */
export const READING_ROLES: ByPrincipalType<string> = {
  session: 'deal_sets_reader',
  assistant: 'deal_sets_assistant',
};

/** Of each reading session: a role's own settings apply neither after a switch to it nor to a login of it. */
const SESSION_SETTINGS = [
  'default_transaction_read_only=on',
  'statement_timeout=8000',
  'idle_in_transaction_session_timeout=10000',
  'timezone=UTC',
  'datestyle=ISO',
];

/**
 * Every read is of one buyer by index: one plan serves all. Left to itself the server may find the plan for a value
 * so cheap that it plans anew on every call, which costs more than the read.
 */
const GENERIC_PLANS = 'plan_cache_mode=force_generic_plan';

/**
 * Where a principal type's reads connect on a server.
 *
 * Without logins of their own for reading, the login of the address switches to the role, by start-up
 * options: they are part of connecting and cost no round trip. With such logins nothing is sent, because
 * poolers refuse options; the operations guide sets the same with `ALTER ROLE`.
 *
 * @param serverUrl the primary's or a replica's address.
 * @throws {Error} when neither gives an address; only a start that forgot the embedded database does.
 */
export function readingUrl(
  serverUrl: string | undefined,
  type: PrincipalType,
  settings: DatabaseOptions,
): string {
  const logins: ByPrincipalType<string | undefined> = {
    session: settings.readerUrl,
    assistant: settings.assistantUrl,
  };
  const login = logins[type];
  if (serverUrl === undefined) {
    if (login === undefined) throw new Error('the database has no address: set DATABASE_URL');
    return login;
  }
  if (login === undefined)
    return withOptions(serverUrl, [
      `role=${READING_ROLES[type]}`,
      ...SESSION_SETTINGS,
      GENERIC_PLANS,
    ]);
  return serverUrl === settings.url ? login : withLogin(serverUrl, login);
}

function withOptions(address: string, settings: readonly string[]): string {
  const url = new URL(address);
  const given = url.searchParams.get('options');
  const options = settings.map((setting) => `-c ${setting}`);
  // Ours last: of two values for one setting the later holds.
  url.searchParams.set('options', (given ? [given, ...options] : options).join(' '));
  return url.href;
}

/** One address of a replica serves both roles, so its own login cannot be theirs. */
function withLogin(address: string, login: string): string {
  const url = new URL(address);
  const { username, password } = new URL(login);
  url.username = username;
  url.password = password;
  return url.href;
}

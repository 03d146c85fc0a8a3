import type { EnvironmentDto } from './environment.dto.js';

type Name = keyof EnvironmentDto;

const ISSUER: readonly Name[] = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'];
const AUTH_ENDPOINTS: readonly Name[] = ['AUTH_AUTHORIZATION_URL', 'AUTH_TOKEN_URL'];
const READING_LOGINS: readonly Name[] = ['DATABASE_READER_URL', 'DATABASE_ASSISTANT_URL'];

/** Settings that are right each by itself and wrong together, one line for each that must change. */
export function settingConflicts(environment: EnvironmentDto): string[] {
  const isUnset = (name: Name): boolean => environment[name] === undefined;
  const lines: string[] = [];

  for (const group of [ISSUER, AUTH_ENDPOINTS, READING_LOGINS]) {
    const missing = group.filter(isUnset);
    if (missing.length === group.length) continue;
    for (const name of missing) {
      lines.push(
        `${name}: expected to be set, because ${group.join(', ')} go together: all or none`,
      );
    }
  }
  if (environment.NODE_ENV === 'production' && ISSUER.every(isUnset)) {
    lines.push(
      'AUTH_ISSUER: expected to be set when NODE_ENV is production (with AUTH_AUDIENCE and AUTH_JWKS_URL)',
    );
  }
  const needsPrimary = !['DATABASE_REPLICA_URLS' as const, ...READING_LOGINS].every(isUnset);
  if (isUnset('DATABASE_URL') && needsPrimary) {
    lines.push(
      'DATABASE_URL: expected to be set, because other DATABASE_ settings name servers beside it',
    );
  }
  if (environment.MANAGEMENT_PORT && environment.MANAGEMENT_PORT === environment.PORT) {
    lines.push('MANAGEMENT_PORT: expected a port other than PORT');
  }
  return lines;
}

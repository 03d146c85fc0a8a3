import type { EnvironmentDto } from './environment.dto.js';
import { mcpAudiences } from './mcp-address.js';
import { isLoopback } from './url-forms.js';

type Name = keyof EnvironmentDto;

const ISSUER: readonly Name[] = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'];
const AUTH_ENDPOINTS: readonly Name[] = ['AUTH_AUTHORIZATION_URL', 'AUTH_TOKEN_URL'];
const READING_LOGINS: readonly Name[] = ['DATABASE_READER_URL', 'DATABASE_ASSISTANT_URL'];

/** Values of NODE_ENV that do not demand a real issuer. Any other, misspelt ones included, is production. */
const NOT_PRODUCTION = ['development', 'test'];

export function isProduction({ NODE_ENV: mode }: EnvironmentDto): boolean {
  return mode !== undefined && !NOT_PRODUCTION.includes(mode);
}

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
  if (ISSUER.every(isUnset)) {
    if (isProduction(environment)) {
      lines.push(
        'AUTH_ISSUER: expected to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL, unless NODE_ENV is unset, development or test',
      );
    } else if (environment.DEVELOPMENT_ISSUER === false && isPublic(environment.HOST)) {
      lines.push(
        'AUTH_ISSUER: expected to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL, when HOST is not a loopback address (DEVELOPMENT_ISSUER=on allows the development issuer there)',
      );
    }
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
  lines.push(...mcpConflicts(environment));
  return lines;
}

/** A host that did not parse is null here, and reported already. */
function isPublic(host: string | null): boolean {
  return host !== null && !isLoopback(host);
}

/** `PUBLIC_URL`, or the loopback address listened on; undefined when neither is known beforehand. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT }: EnvironmentDto): string | undefined {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL;
  if (isPublic(HOST) || !PORT) return undefined;
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}

function mcpConflicts(environment: EnvironmentDto): string[] {
  const { MCP: hasMcp, AUTH_AUDIENCE: audiences } = environment;
  if (!hasMcp) return [];
  const publicUrl = publicUrlOf(environment);
  if (publicUrl === undefined) {
    return [
      'PUBLIC_URL: expected to be set with MCP=on, when HOST is not a loopback address or PORT is 0',
    ];
  }
  const accepted = mcpAudiences({ hasMcp, publicUrl });
  if (!audiences || audiences.some((audience) => accepted.includes(audience))) return [];
  return [
    'AUTH_AUDIENCE: expected to hold PUBLIC_URL or PUBLIC_URL/mcp with MCP=on, as one of its audiences separated by commas',
  ];
}

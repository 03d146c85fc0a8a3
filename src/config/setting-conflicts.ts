import { mcpAudiences } from './mcp-address.js';
import { groupsOf, variablesOf } from './setting.decorator.js';
import { Settings } from './settings.js';
import { isLoopback } from './url-forms.js';

/** Variables that must be set together or not at all. */
const TOGETHER: readonly (readonly string[])[] = [
  ...groupsOf(Settings)
    .filter(({ isAllOrNone }) => isAllOrNone)
    .map(({ type }) => variablesOf(type)),
  ['DATABASE_READER_URL', 'DATABASE_ASSISTANT_URL'],
];

/**
 * Settings that are right each by itself and wrong together, one line for each that must change.
 *
 * @param settings as read; null where a text did not parse.
 * @param given the variables that are set.
 */
export function settingConflicts(
  settings: Settings,
  given: Readonly<Record<string, string>>,
): string[] {
  const isSet = (name: string): boolean => name in given;
  const lines: string[] = [];

  for (const group of TOGETHER) {
    if (!group.some(isSet)) continue;
    for (const name of group) {
      if (isSet(name)) continue;
      lines.push(
        `${name}: expected to be set, because ${group.join(', ')} go together: all or none`,
      );
    }
  }
  if (settings.issuer === undefined) {
    if (settings.isProduction) {
      lines.push(
        'AUTH_ISSUER: expected to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL, unless NODE_ENV is unset, development or test',
      );
    } else if (isOff(settings.isDevelopmentIssuerPublic) && isPublic(settings.host)) {
      lines.push(
        'AUTH_ISSUER: expected to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL, when HOST is not a loopback address (DEVELOPMENT_ISSUER=on allows the development issuer there)',
      );
    }
  }
  if (isSet('DATABASE_REPLICA_URL') && !isSet('DATABASE_URL') && !isSet('DATABASE_READER_URL')) {
    lines.push(
      'DATABASE_URL: expected to be set, because DATABASE_REPLICA_URL is a server beside it',
    );
  }
  if (settings.managementPort && settings.managementPort === settings.port) {
    lines.push('MANAGEMENT_PORT: expected a port other than PORT');
  }
  lines.push(...mcpConflicts(settings));
  return lines;
}

/** Null did not parse, and is reported already. */
function isOff(value: boolean | null): boolean {
  return value === false;
}

/** A host that did not parse is null here, and reported already. */
function isPublic(host: string | null): boolean {
  return host !== null && !isLoopback(host);
}

/** `PUBLIC_URL`, or the loopback address listened on; undefined when neither is known beforehand. */
export function publicUrlOf({
  publicUrl,
  host,
  port,
}: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  if (isPublic(host) || !port) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function mcpConflicts(settings: Settings): string[] {
  const { hasMcp, issuer } = settings;
  if (!hasMcp) return [];
  const publicUrl = publicUrlOf(settings);
  if (publicUrl === undefined) {
    return [
      'PUBLIC_URL: expected to be set with MCP=on, when HOST is not a loopback address or PORT is 0',
    ];
  }
  const accepted = mcpAudiences({ hasMcp, publicUrl });
  const audiences = issuer?.audiences as readonly string[] | null | undefined;
  if (!audiences || audiences.some((audience) => accepted.includes(audience))) return [];
  return [
    'AUTH_AUDIENCE: expected to hold PUBLIC_URL or PUBLIC_URL/mcp with MCP=on, as one of its audiences separated by commas',
  ];
}

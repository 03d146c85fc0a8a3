import { isLoopback } from './setting-forms.js';
import { mcpAudiences, type Settings } from './settings.js';

/** Variables that must be set together or not at all. */
const TOGETHER: readonly (readonly string[])[] = [
  ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'],
  ['AUTH_AUTHORIZATION_URL', 'AUTH_TOKEN_URL'],
  ['DATABASE_READER_URL', 'DATABASE_ASSISTANT_URL'],
];

/** A variable that must change, and what is expected of it. */
type Conflict = readonly [name: string, expected: string];

/**
 * Settings that are right each by itself and wrong together.
 *
 * @param settings as read; null where a text did not parse, which is reported already.
 * @param given the variables that are set.
 */
export function* settingConflicts(
  settings: Settings,
  given: ReadonlyMap<string, string>,
): Generator<Conflict> {
  const { issuer, hasMcp, managementPort } = settings;
  for (const group of TOGETHER.filter((names) => names.some((name) => given.has(name)))) {
    const expected = `to be set, because ${group.join(', ')} go together: all or none`;
    for (const name of group) if (!given.has(name)) yield [name, expected];
  }
  if (issuer === undefined) {
    const expected = 'to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL,';
    const isAllowed = settings.isDevelopmentIssuerPublic as boolean | null;
    if (settings.isProduction) {
      yield ['AUTH_ISSUER', `${expected} unless NODE_ENV is unset, development or test`];
    } else if (isAllowed === false && isPublic(settings.host)) {
      yield [
        'AUTH_ISSUER',
        `${expected} when HOST is not a loopback address (DEVELOPMENT_ISSUER=on allows the development issuer there)`,
      ];
    }
  }
  const { url, readerUrl, replicaUrl } = settings.database;
  if (replicaUrl && url === undefined && readerUrl === undefined) {
    yield ['DATABASE_URL', 'to be set, because DATABASE_REPLICA_URL is a server beside it'];
  }
  if (managementPort && managementPort === settings.port) {
    yield ['MANAGEMENT_PORT', 'a port other than PORT'];
  }
  if (!hasMcp) return;
  const publicUrl = publicUrlOf(settings);
  if (publicUrl === undefined) {
    const when = 'when HOST is not a loopback address or PORT is 0';
    yield ['PUBLIC_URL', `to be set with MCP=on, ${when}`];
    return;
  }
  const accepted = mcpAudiences({ hasMcp, publicUrl });
  const audiences = issuer?.audiences as readonly string[] | null | undefined;
  if (audiences && !audiences.some((audience) => accepted.includes(audience))) {
    yield [
      'AUTH_AUDIENCE',
      'to hold PUBLIC_URL or PUBLIC_URL/mcp with MCP=on, as one of its audiences separated by commas',
    ];
  }
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

function isPublic(host: string | null): boolean {
  return host !== null && !isLoopback(host);
}

import { isLoopback } from './setting-forms.js';
import { mcpAudiences, type Settings } from './settings.js';

/** A variable that must change, and what is expected of it. */
type Conflict = readonly [name: string, expected: string];

/** Settings that are right each by itself and wrong together. */
export function* settingConflicts(settings: Settings): Generator<Conflict> {
  const { issuer, hasMcp, host, port, managementPort } = settings;
  const { url, readerUrl, assistantUrl, replicaUrl } = settings.database;
  if ((readerUrl === undefined) !== (assistantUrl === undefined)) {
    const missing = readerUrl === undefined ? 'DATABASE_READER_URL' : 'DATABASE_ASSISTANT_URL';
    yield [missing, 'to be set, because the logins of both pools go together'];
  }
  if (replicaUrl && url === undefined && readerUrl === undefined) {
    yield ['DATABASE_URL', 'to be set, because DATABASE_REPLICA_URL is a server beside it'];
  }
  if (issuer === undefined) {
    const expected = 'to be set, with AUTH_AUDIENCE and AUTH_JWKS_URL,';
    if (settings.isProduction) {
      yield ['AUTH_ISSUER', `${expected} unless NODE_ENV is unset, development or test`];
    } else if (!settings.isDevelopmentIssuerPublic && !isLoopback(host)) {
      const allowed = 'DEVELOPMENT_ISSUER=on allows the development issuer there';
      yield ['AUTH_ISSUER', `${expected} when HOST is not a loopback address (${allowed})`];
    }
  }
  if (managementPort && managementPort === port) {
    yield ['MANAGEMENT_PORT', 'a port other than PORT'];
  }
  if (hasMcp && settings.publicUrl === undefined) {
    const when = 'when HOST is not a loopback address or PORT is 0';
    yield ['PUBLIC_URL', `to be set with MCP=on, ${when}`];
  } else if (hasMcp && issuer) {
    const accepted = mcpAudiences(settings);
    if (!issuer.audiences.some((audience) => accepted.includes(audience))) {
      const list = 'as one of its audiences separated by commas';
      yield ['AUTH_AUDIENCE', `to hold PUBLIC_URL or PUBLIC_URL/mcp with MCP=on, ${list}`];
    }
  }
}

/** `PUBLIC_URL`, or the loopback address listened on; undefined when neither is known beforehand. */
export function publicUrlOf({ publicUrl, host, port }: Settings): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  if (!isLoopback(host) || port === 0) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

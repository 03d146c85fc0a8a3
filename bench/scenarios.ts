import type { TestIssuer } from '../packages/testing/src/test-issuer.js';
import { WORLD_CLIENT_ID, worldBuyerId, worldCookie } from '../test/world/generate-buyer.js';
import { seededUuid } from '../test/world/seeded-random.js';
import type { LoadRequest } from './load-child.js';
import type { GroupName, Groups } from './world.js';

/** The path of the list endpoint. */
export const LIST_PATH = '/api/v1/deal-sets';
/** The query of a poll that finds nothing new: a time after the newest change of the world. */
export const NOTHING_NEW = '?since=2026-11-01T00:00:00Z';
const TOKEN_SECONDS = 2 * 3600;
/** The address of the service, as the protected resource of `/mcp`. */
export const PUBLIC_URL = 'http://localhost';
/** The audience of the access tokens, which are valid for the REST endpoints and for `/mcp`. */
export const AUDIENCE = `${PUBLIC_URL}/mcp`;
const MCP_REVISION = '2026-07-28';

/** A buyer with the request headers of a session and of an assistant. */
export interface SignedInBuyer {
  readonly id: string;
  readonly setIds: readonly string[];
  /**
   * The id of the buyer's first request to one dealership. If the buyer has none, no request has
   * this id. It never identifies a deal set.
   */
  readonly singleId: string;
  readonly session: Readonly<Record<string, string>>;
  readonly assistant: Readonly<Record<string, string>>;
}
/** The signed-in buyers of each group. */
export type SignedIn = Readonly<Record<GroupName, readonly SignedInBuyer[]>>;

const onePath = ({ setIds }: SignedInBuyer, place: number): string =>
  `${LIST_PATH}/${setIds[place % setIds.length] ?? ''}`;
const list = (): string => LIST_PATH;

type PathOf = (buyer: SignedInBuyer, place: number) => string;
type RequestsOf = (buyer: SignedInBuyer, place: number) => LoadRequest[];

/** Requests of the buyer's session and of the assistant, in turn. */
const byBoth =
  (path: PathOf): RequestsOf =>
  (buyer, place) => [
    { path: path(buyer, place), headers: buyer.session },
    { path: path(buyer, place + 1), headers: buyer.assistant },
  ];

/** The read of one deal set by the assistant, with which the tool call is compared. */
const byAssistant: RequestsOf = (buyer, place) => [
  { path: onePath(buyer, place), headers: buyer.assistant },
];

/** The tool call that reads one deal set. */
export const byTool: RequestsOf = (buyer, place) => {
  const name = 'get_deal_set';
  const params = {
    name,
    arguments: { dealSetId: buyer.setIds[place % buyer.setIds.length] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MCP_REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const headers = {
    ...buyer.assistant,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return [{ method: 'POST', path: '/mcp', headers, body }];
};

const sinceEpoch: PathOf = () => `${LIST_PATH}?since=1970-01-01T00:00:00Z`;
const nothingNew: PathOf = () => LIST_PATH + NOTHING_NEW;

/** Each scenario's buyers, their requests, and the servers that it runs on. */
const SCENARIOS = {
  dealSet: ['everyday', byBoth(onePath), 'service B floor'],
  list: ['everyday', byBoth(list), 'service B'],
  since: ['everyday', byBoth(sinceEpoch), 'service B'],
  poll: ['everyday', byBoth(nothingNew), 'service B'],
  'list, 1,000 ended': ['long-history', byBoth(list), 'service'],
  'list, sets of 200': ['large-sets', byBoth(list), 'service B'],
  'one, 200 rows': ['large-sets', byBoth(onePath), 'service B'],
  'dealSet, assistant': ['everyday', byAssistant, 'service'],
  'dealSet, MCP': ['everyday', byTool, 'service'],
} satisfies Record<string, [GroupName, RequestsOf, string]>;

/** The name of a scenario, as the report prints it. */
export type ScenarioName = keyof typeof SCENARIOS;

/** A scenario with its requests. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly servers: readonly string[];
  readonly connections: readonly (readonly LoadRequest[])[];
}

/** Returns the header with an access token that is valid for the whole run. */
export async function bearer(
  issuer: TestIssuer,
  buyerId: string,
  scope = 'offers:read',
): Promise<Record<string, string>> {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const options = { clientId: WORLD_CLIENT_ID, scopes: [scope], claims: { exp, aud: AUDIENCE } };
  return { authorization: `Bearer ${await issuer.token(buyerId, options)}` };
}

/**
 * Returns buyers of each group with their credentials.
 *
 * @param most the largest number of buyers to take from a group. They are spread over the group.
 */
export async function signIn(groups: Groups, most: number, issuer: TestIssuer): Promise<SignedIn> {
  const entries = Object.entries(groups).map(async ([name, { seed, buyers, sets }]) => {
    const wanted = Math.min(most, buyers);
    const signedIn = Array.from({ length: wanted }, async (_, place) => {
      const index = Math.floor((place * buyers) / wanted);
      const id = worldBuyerId(seed, index);
      return {
        id,
        setIds: Array.from({ length: sets }, (__, set) =>
          seededUuid(seed, `buyer ${index} set ${set}`),
        ),
        singleId: seededUuid(seed, `buyer ${index} single 0`),
        session: { cookie: `__Host-session=${worldCookie(seed, index)}` },
        assistant: await bearer(issuer, id),
      };
    });
    return [name, await Promise.all(signedIn)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as unknown as SignedIn;
}

/**
 * Returns the scenarios whose name contains `filter`, each with its requests. Every connection has
 * different buyers if there are enough.
 */
export function scenarios(filter: string, buyers: SignedIn, connections: number): Scenario[] {
  return Object.entries(SCENARIOS)
    .filter(([name]) => name.includes(filter))
    .map(([name, [group, requestsOfBuyer, servers]]) => {
      const requests = buyers[group].flatMap(requestsOfBuyer);
      const requestsPerConnection = Math.max(2, Math.floor(requests.length / connections / 2) * 2);
      const requestsOf = (connection: number): LoadRequest[] =>
        Array.from(
          { length: requestsPerConnection },
          (_, at) => requests[(connection * requestsPerConnection + at) % requests.length]!,
        );
      return {
        name: name as ScenarioName,
        servers: servers.split(' '),
        connections: Array.from({ length: connections }, (_, at) => requestsOf(at)),
      };
    });
}

import type { TestIssuer } from '../packages/testing/src/test-issuer.js';
import {
  WORLD_CLIENT_ID,
  worldBuyerId,
  worldCookie,
} from '../packages/demo/src/world/generate-buyer.js';
import { seededUuid } from '../packages/demo/src/world/seeded-random.js';
import type { LoadRequest } from './load-child.js';
import type { GroupName, Groups } from './world.js';

/** The path of the list endpoint. */
export const LIST_PATH = '/api/v1/deal-sets';
/** The query of a poll that finds nothing new: a time after the newest change of the world. */
export const NOTHING_NEW = '?since=2026-11-01T00:00:00Z';
const TOKEN_SECONDS = 2 * 3600;

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

/** Each scenario's buyers, its path, and the servers that it runs on. */
const SCENARIOS = {
  dealSet: ['everyday', onePath, 'service B D'],
  list: ['everyday', list, 'service B D'],
  since: ['everyday', () => `${LIST_PATH}?since=1970-01-01T00:00:00Z`, 'service B'],
  poll: ['everyday', () => LIST_PATH + NOTHING_NEW, 'service B'],
  'list, 1,000 ended': ['long-history', list, 'service'],
  'list, sets of 200': ['large-sets', list, 'service B'],
  'one, 200 rows': ['large-sets', onePath, 'service B'],
} satisfies Record<string, [GroupName, (buyer: SignedInBuyer, place: number) => string, string]>;

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
  const options = { clientId: WORLD_CLIENT_ID, scopes: [scope], claims: { exp } };
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
 * Returns the scenarios whose name contains `filter`, each with its requests. The buyer's session
 * and the assistant alternate, and every connection has different buyers if there are enough.
 */
export function scenarios(filter: string, buyers: SignedIn, connections: number): Scenario[] {
  return Object.entries(SCENARIOS)
    .filter(([name]) => name.includes(filter))
    .map(([name, [group, path, servers]]) => {
      const requests = buyers[group].flatMap((buyer, place): LoadRequest[] => [
        { path: path(buyer, place), headers: buyer.session },
        { path: path(buyer, place + 1), headers: buyer.assistant },
      ]);
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

import type { TestIssuer } from '../../../packages/testing/src/test-issuer.js';
import { WORLD_CLIENT_ID } from '../../../packages/demo/src/world/generate-buyer.js';
import {
  someBuyers,
  type BenchBuyer,
  type BuyerGroup,
  type GroupName,
} from '../world/bench-world.js';
import type { LoadRequest } from './load-child.js';

export const LIST_PATH = '/api/v1/deal-sets';
/** After the newest change of the generated world: a poll that finds nothing new. */
export const NOTHING_NEW = '?since=2026-11-01T00:00:00Z';
const TOKEN_SECONDS = 2 * 3600;

/** A buyer with both of her credentials, ready to be sent. */
export interface SignedInBuyer extends BenchBuyer {
  readonly session: Readonly<Record<string, string>>;
  readonly assistant: Readonly<Record<string, string>>;
}

const onePath = ({ setIds }: BenchBuyer, turn: number): string =>
  `${LIST_PATH}/${setIds[turn % setIds.length] ?? ''}`;
const list = (): string => LIST_PATH;

/** Whom each scenario asks for, and what. */
const SCENARIOS = {
  one: ['everyday', onePath],
  list: ['everyday', list],
  since: ['everyday', () => `${LIST_PATH}?since=1970-01-01T00:00:00Z`],
  poll: ['everyday', () => LIST_PATH + NOTHING_NEW],
  'list, no history': ['no-history', list],
  'list, 1,000 ended': ['long-history', list],
  'list, sets of 25': ['small-sets', list],
  'list, sets of 200': ['large-sets', list],
  'one, 200 rows': ['large-sets', onePath],
} satisfies Record<string, [GroupName, (buyer: BenchBuyer, turn: number) => string]>;

export type ScenarioName = keyof typeof SCENARIOS;

export interface Scenario {
  readonly name: ScenarioName;
  readonly connections: readonly (readonly LoadRequest[])[];
}

/** A token that lasts for the run. */
export async function bearer(
  issuer: TestIssuer,
  buyerId: string,
  scope = 'offers:read',
): Promise<Record<string, string>> {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const options = { clientId: WORLD_CLIENT_ID, scopes: [scope], claims: { exp } };
  return { authorization: `Bearer ${await issuer.issue(buyerId, options)}` };
}

/** @param count buyers at most, spread over the group. */
export async function signedInBuyers(
  group: BuyerGroup,
  count: number,
  issuer: TestIssuer,
): Promise<SignedInBuyer[]> {
  return Promise.all(
    someBuyers(group, count).map(async (buyer) => ({
      ...buyer,
      session: { cookie: `__Host-session=${buyer.cookie}` },
      assistant: await bearer(issuer, buyer.id),
    })),
  );
}

/**
 * The requests of a scenario: by turns the buyer's own session and her assistant, every connection with buyers of
 * its own as far as they go round.
 */
export function scenario(
  name: ScenarioName,
  buyers: ReadonlyMap<GroupName, readonly SignedInBuyer[]>,
  connections: number,
): Scenario {
  const [group, path] = SCENARIOS[name];
  const requests = (buyers.get(group) ?? []).flatMap((buyer, turn): LoadRequest[] => [
    { path: path(buyer, turn), headers: buyer.session },
    { path: path(buyer, turn + 1), headers: buyer.assistant },
  ]);
  const each = Math.max(2, Math.floor(requests.length / connections / 2) * 2);
  const ofConnection = (connection: number): LoadRequest[] =>
    Array.from({ length: each }, (_, at) => requests[(connection * each + at) % requests.length]!);
  return { name, connections: Array.from({ length: connections }, (_, at) => ofConnection(at)) };
}

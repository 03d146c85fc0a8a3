import type { BenchIssuer } from '../servers/bench-issuer.js';
import {
  someBuyers,
  type BenchBuyer,
  type BuyerGroup,
  type GroupName,
} from '../world/bench-world.js';
import type { LoadRequest } from './load-child.js';

export const LIST_PATH = '/api/v1/deal-sets';
const EVERYTHING = '?since=1970-01-01T00:00:00Z';
/** After the newest change of the generated world: a poll that finds nothing new. */
const NOTHING_NEW = '?since=2026-11-01T00:00:00Z';

/** A buyer with both of her credentials, ready to be sent. */
export interface SignedInBuyer extends BenchBuyer {
  readonly session: Readonly<Record<string, string>>;
  readonly assistant: Readonly<Record<string, string>>;
}

export type ScenarioName =
  | 'one'
  | 'list'
  | 'since'
  | 'poll'
  | 'list, no history'
  | 'list, 1,000 ended'
  | 'one, 200 rows'
  | 'list, sets of 25'
  | 'list, sets of 200';

export interface Scenario {
  readonly name: ScenarioName;
  readonly connections: readonly (readonly LoadRequest[])[];
}

const SCENARIOS: Readonly<Record<ScenarioName, { group: GroupName; path: PathOf }>> = {
  one: { group: 'everyday', path: (buyer, turn) => onePath(buyer, turn) },
  list: { group: 'everyday', path: () => LIST_PATH },
  since: { group: 'everyday', path: () => LIST_PATH + EVERYTHING },
  poll: { group: 'everyday', path: () => LIST_PATH + NOTHING_NEW },
  'list, no history': { group: 'no-history', path: () => LIST_PATH },
  'list, 1,000 ended': { group: 'long-history', path: () => LIST_PATH },
  'list, sets of 25': { group: 'small-sets', path: () => LIST_PATH },
  'list, sets of 200': { group: 'large-sets', path: () => LIST_PATH },
  'one, 200 rows': { group: 'large-sets', path: (buyer, turn) => onePath(buyer, turn) },
};

type PathOf = (buyer: BenchBuyer, turn: number) => string;

function onePath({ setIds }: BenchBuyer, turn: number): string {
  return `${LIST_PATH}/${setIds[turn % setIds.length] ?? ''}`;
}

/** @param count buyers at most, spread over the group. */
export async function signedInBuyers(
  group: BuyerGroup,
  count: number,
  issuer: BenchIssuer,
): Promise<SignedInBuyer[]> {
  return Promise.all(
    someBuyers(group, count).map(async (buyer) => ({
      ...buyer,
      // The second header is for the floor, which has no sign-in; the others ignore it.
      session: { cookie: `__Host-session=${buyer.cookie}`, 'x-buyer': buyer.id },
      assistant: {
        authorization: `Bearer ${await issuer.token(buyer.id)}`,
        'x-buyer': buyer.id,
      },
    })),
  );
}

/**
 * The requests of each scenario: by turns the buyer's own session and her assistant, every connection
 * with buyers of its own as far as they go round.
 */
export function scenarios(
  buyers: ReadonlyMap<GroupName, readonly SignedInBuyer[]>,
  connections: number,
): Map<ScenarioName, Scenario> {
  return new Map(
    (Object.keys(SCENARIOS) as ScenarioName[]).map((name) => {
      const { group, path } = SCENARIOS[name];
      const all = buyers.get(group) ?? [];
      const requests = all.flatMap((buyer, turn): LoadRequest[] => [
        { path: path(buyer, turn), headers: buyer.session },
        { path: path(buyer, turn + 1), headers: buyer.assistant },
      ]);
      const each = Math.max(2, Math.floor(requests.length / connections / 2) * 2);
      return [
        name,
        {
          name,
          connections: Array.from({ length: connections }, (_, connection) =>
            Array.from(
              { length: each },
              (__, place) => requests[(connection * each + place) % requests.length]!,
            ),
          ),
        },
      ];
    }),
  );
}

import { worldBuyerId, worldCookie } from '../../../packages/demo/src/world/generate-buyer.js';
import { seededUuid } from '../../../packages/demo/src/world/seeded-random.js';
import type { WorldOptions } from '../../../packages/demo/src/world/world-options.js';

const SEED = 'bench';

/** As many as the United States have: a plan that scans them all shows. */
export const DEALERSHIPS = 18_000;

/** Buyers of one kind. Their numbers follow those of the group before. */
export interface BuyerGroup {
  readonly name: GroupName;
  readonly from: number;
  readonly options: WorldOptions;
}

export type GroupName = 'everyday' | 'no-history' | 'long-history' | 'small-sets' | 'large-sets';

/** An everyday buyer's lists are full: 12 active deal sets of 25 rows, 25 active single requests. */
const EVERYDAY = { seed: SEED, sets: 12, rows: 25, singles: 25, ended: 2 };
const EVERYDAY_PRICE_CHECKS = 12 * 25 + 25 + 25 + 1;
/** Buyers of each special kind; they add 33,000 price checks, those of a long history most of them. */
const FEW = 2;

/** The bench's world: everyday buyers to make up the size, and a few of each special kind. */
export function benchWorld(priceChecks: number): BuyerGroup[] {
  const sizes: Readonly<Record<GroupName, WorldOptions>> = {
    everyday: { ...EVERYDAY, buyers: Math.round(priceChecks / EVERYDAY_PRICE_CHECKS) },
    'no-history': { ...EVERYDAY, buyers: FEW, ended: 0 },
    'long-history': { ...EVERYDAY, buyers: FEW, ended: 1000 },
    'small-sets': { ...EVERYDAY, buyers: FEW, singles: 0, ended: 0 },
    'large-sets': { ...EVERYDAY, buyers: FEW, rows: 200, singles: 0, ended: 0 },
  };
  let from = 0;
  return Object.entries(sizes).map(([name, options]) => {
    const group = { name: name as GroupName, from, options };
    from += options.buyers;
    return group;
  });
}

/** What a request of a buyer needs to be made. */
export interface BenchBuyer {
  readonly id: string;
  readonly cookie: string;
  readonly setIds: readonly string[];
  /** A request to one dealership, where she has any: no deal set. */
  readonly singleId: string;
}

/** Up to `count` buyers of a group, spread over all of it. */
export function someBuyers({ from, options }: BuyerGroup, count: number): BenchBuyer[] {
  const wanted = Math.min(count, options.buyers);
  return Array.from({ length: wanted }, (_, place) => {
    const index = from + Math.floor((place * options.buyers) / wanted);
    return {
      id: worldBuyerId(SEED, index),
      cookie: worldCookie(SEED, index),
      setIds: Array.from({ length: options.sets }, (__, set) =>
        seededUuid(SEED, `buyer ${index} set ${set}`),
      ),
      singleId: seededUuid(SEED, `buyer ${index} single 0`),
    };
  });
}

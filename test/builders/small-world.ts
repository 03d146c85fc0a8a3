import type { Built } from '../../packages/testing/src/records.js';
import { sampleWorld } from '../../packages/testing/src/sample-world.js';

/** The test kit's sample world, with its records. For suites that need a good response and not a certain one. */
export function smallWorld() {
  const { records, cookie, dealSetPath } = sampleWorld();
  const [anna, set, row] = (['buyer', 'dealSet', 'priceCheck'] as const).map((kind) =>
    records.find(({ record }) => record === kind),
  ) as [Built<'buyer'>, Built<'dealSet'>, Built<'priceCheck'>];
  return { anna, set, row, session: { cookie }, getPath: dealSetPath, records };
}

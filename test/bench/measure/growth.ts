import type { LoadGenerator } from '../load/load-generator.js';
import type { Scenario } from '../load/scenarios.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Ratio } from './figures.js';
import { median } from './statistics.js';

/** The service on one world, and who asks it. */
export interface WorldService {
  readonly server: ServerProcess;
  readonly scenarios: ReadonlyMap<Scenario['name'], Scenario>;
}

export type Growth = Readonly<Record<'one' | 'list' | 'since' | 'poll', Ratio>>;

/**
 * The time of a request on a large world, as a multiple of its time on a small one: two services, turn by
 * turn in one run, asked by equally many buyers, so that the tables' size is all that differs.
 */
export async function measureGrowth(
  load: LoadGenerator,
  { small, large }: { readonly small: WorldService; readonly large: WorldService },
  {
    rounds,
    seconds,
    warmUpSeconds,
  }: Readonly<Record<'rounds' | 'seconds' | 'warmUpSeconds', number>>,
): Promise<Growth> {
  const perSecond = async (
    { server, scenarios }: WorldService,
    name: Scenario['name'],
    time: number,
  ): Promise<number> => {
    const connections = scenarios.get(name)?.connections ?? [];
    const result = await load.take({ url: server.url, seconds: time, connections });
    if (result.failures > 0) throw new Error(`the service failed ${result.failures} of "${name}"`);
    return result.perSecond;
  };
  const growth = async (name: Scenario['name']): Promise<Ratio> => {
    const ratios: number[] = [];
    for (const world of [small, large]) await perSecond(world, name, warmUpSeconds);
    for (let round = 0; round < rounds; round += 1) {
      const first = await perSecond(round % 2 === 0 ? small : large, name, seconds);
      const second = await perSecond(round % 2 === 0 ? large : small, name, seconds);
      ratios.push(round % 2 === 0 ? first / second : second / first);
    }
    return { value: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
  };
  return {
    one: await growth('one'),
    list: await growth('list'),
    since: await growth('since'),
    poll: await growth('poll'),
  };
}

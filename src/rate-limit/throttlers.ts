import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { Settings } from '../config/settings.js';
import { contextOf } from '../http/context/request-context.js';

/** The injection token of the throttlers of all rate classes. */
export const THROTTLERS = Symbol('throttlers');

/** The injection token of a host application's throttlers. */
export const HOST_THROTTLERS = Symbol('host throttlers');

/**
 * A rate class, as a throttler of `@nestjs/throttler`: its name, and how many requests of a
 * principal (`limit`) are admitted in how many milliseconds (`ttl`). The other options of the
 * library have no effect here: the caller is always the key, and each class has its own endpoints.
 */
export type RateClassOptions = Pick<ThrottlerOptions, 'name' | 'limit' | 'ttl'>;

/**
 * The throttlers of all rate classes, as `@nestjs/throttler` takes them. Each has a name. It is an
 * interface, because compilers record different types of parameters for a name of an array.
 */
export interface Throttlers extends Array<ThrottlerOptions> {}

/**
 * Combines the throttler `read` of the settings (contract, section 8) with those of a host
 * application. Each applies only to the endpoints of its class.
 *
 * @param own throttlers whose `name` is the rate class that endpoints declare.
 * @throws {Error} for a repeated name, because the requests of the class would be counted twice.
 */
export function combineThrottlers(
  { readRate }: Pick<Settings, 'readRate'>,
  own: readonly RateClassOptions[],
): Throttlers {
  const read = { name: 'read', limit: readRate.limit, ttl: readRate.windowSeconds * 1000 };
  const throttlers = [read, ...own].map((throttler) => ({
    ...throttler,
    // The library's own default.
    name: throttler.name ?? 'default',
  }));
  const names = throttlers.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    const problem = repeated === read.name ? 'belongs to the two reads' : 'is given twice';
    throw new Error(`throttlers: the name ${repeated} ${problem}: choose another name`);
  }
  return throttlers.map((throttler) => ({
    ...throttler,
    skipIf: (context: ExecutionContext) => contextOf(context).policy.rateClass !== throttler.name,
  }));
}

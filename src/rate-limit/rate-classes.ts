import { Injectable, type ExecutionContext, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';

/** How often one principal may call the endpoints that share a class (contract, section 8). */
export interface RateClass {
  /** Requests in the window, a whole number of 1 or more; or a function of the request. */
  readonly limit: number | ((context: ExecutionContext) => number | Promise<number>);
  readonly windowSeconds: number;
}

/** The declared rate classes, by name: `read` of the contract, and a team's own. */
@Injectable()
export class RateClasses implements OnModuleInit {
  readonly #classes: ReadonlyMap<string, RateClass>;

  constructor(
    { readRate }: Settings,
    private readonly registry: EndpointRegistry,
    own: Readonly<Record<string, RateClass>> = {},
  ) {
    if (Object.hasOwn(own, 'read')) throw new Error('The rate class read is the contract’s');
    this.#classes = new Map([['read', readRate], ...Object.entries(own)]);
  }

  /** @throws {Error} naming each class that is wrong, or that an endpoint names and nothing declares. */
  onModuleInit(): void {
    const problems = [...this.#classes].flatMap(([name, { limit, windowSeconds }]) =>
      (typeof limit === 'function' || isLimit(limit)) && windowSeconds > 0
        ? []
        : [`Rate class ${name}: limit must be a whole number of 1 or more, windowSeconds above 0`],
    );
    for (const { name, declared } of this.registry.endpoints) {
      if (!this.#classes.has(declared.rateClass)) {
        problems.push(`${name}: rate class ${declared.rateClass} is not declared`);
      }
    }
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /** @returns the class, or undefined when it is not declared. */
  find(name: string): RateClass | undefined {
    return this.#classes.get(name);
  }

  /** The limit of the called endpoint's class, for this request. */
  limitOf(context: ExecutionContext): number | Promise<number> {
    const { limit } = this.#classOf(context);
    if (typeof limit !== 'function') return limit;
    const resolved = limit(context);
    return typeof resolved === 'number' ? checkedLimit(resolved) : resolved.then(checkedLimit);
  }

  /** The window of the called endpoint's class in milliseconds. */
  windowMsOf(context: ExecutionContext): number {
    return this.#classOf(context).windowSeconds * 1000;
  }

  /** The limit and window of a class for calls that come by no route: its limit is no function of a request. */
  fixed(name: string): { readonly limit: number; readonly windowMs: number } {
    const found = this.#classes.get(name);
    if (!found || typeof found.limit !== 'number') {
      throw new Error(`rate class ${name}: declare a limit that is a number`);
    }
    return { limit: found.limit, windowMs: found.windowSeconds * 1000 };
  }

  #classOf(context: ExecutionContext): RateClass {
    const policy = endpointPolicy(context);
    const found = policy && this.#classes.get(policy.rateClass);
    if (!found) throw new Error('an endpoint without a rate class was called');
    return found;
  }
}

function isLimit(limit: number): boolean {
  return Number.isSafeInteger(limit) && limit >= 1;
}

/** A function that returns anything else fails the request: it must not mean "no limit". */
function checkedLimit(limit: number): number {
  if (!isLimit(limit)) throw new Error('a rate limit is a whole number of 1 or more');
  return limit;
}

import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { isReplaced, policyOf } from '../http/policy.js';
import { THROTTLERS, type Throttlers } from '../rate-limit/throttlers.js';
import { reachableDtos } from '../redaction/field.js';
import { ResponseRedaction } from '../redaction/response-redaction.js';
import type { EndpointPolicy } from './endpoint-policy.js';
import { ErrorDetail, ErrorResponse } from './error-response.dto.js';
import { RouteDiscovery, type Route } from './route-discovery.js';

/** The endpoints of the application. A wrong declaration stops the boot. */
@Injectable()
export class EndpointRegistry implements OnModuleInit {
  constructor(
    private readonly discovery: RouteDiscovery,
    private readonly redaction: ResponseRedaction,
    @Inject(THROTTLERS) private readonly throttlers: Throttlers,
  ) {}

  /** The rollout flags that routes declare. */
  get flags(): ReadonlySet<string> {
    return new Set(this.discovery.routes.flatMap((route) => policyOf(route).flag ?? []));
  }

  /** The routes that declare neither `@Endpoint` nor `@RequireScope` nor `@Public`. */
  get undeclaredRoutes(): readonly Route[] {
    return this.discovery.routes.filter((route) => {
      const { kind, scope } = policyOf(route);
      return kind === undefined && scope === undefined;
    });
  }

  /**
   * Checks the declarations of all routes.
   *
   * @throws {Error} with one line for each handler whose declaration another decorator has removed,
   * each rate class without a throttler, each response class without fields, each wrong field of a
   *   redaction rule, and each name that two schemas share.
   */
  onModuleInit(): void {
    const { routes } = this.discovery;
    const responses = routes.flatMap((route) => policyOf(route).response ?? []);
    const problems = [
      ...routes
        .filter((route) => isReplaced(route, route.method))
        .map(({ name }) => `${name}: a decorator above that of the service replaces the method`)
        .map((problem) => `${problem}: put it below, or let it copy the metadata`),
      ...routes.flatMap((route) => this.#rateProblemOf(route) ?? []),
      ...this.redaction.problemsOf(responses),
      ...repeatedNames(routes.map(policyOf)),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /** Returns the problem of a route whose requests would not be counted. */
  #rateProblemOf(route: Route): string | undefined {
    const { rateClass } = policyOf(route);
    if (rateClass === undefined || this.throttlers.some(({ name }) => name === rateClass))
      return undefined;
    return `${route.name}: the rate class ${rateClass} has no throttler: add it to the option throttlers`;
  }
}

/** Returns a problem for each name that two schemas of the API description share. */
function repeatedNames(policies: readonly Partial<EndpointPolicy>[]): string[] {
  const responses = reachableDtos(policies.flatMap(({ response }) => response ?? []));
  const bodies = policies.flatMap(({ body }) => body ?? []);
  const classes = new Set<Type>([...responses, ...bodies, ErrorResponse, ErrorDetail]);
  const names = Array.from(classes, (dto) => getSchemaPath(dto).split('/').at(-1) ?? '');
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return Array.from(
    repeated,
    (name) =>
      `Two schemas of the API description are called ${name}: rename one, or name it with @ApiSchema({ name })`,
  );
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { preventCaching } from '../http/response-content.js';
import { RouteDiscovery } from '../http/route-discovery.js';
import { RequireScope } from './require-scope.decorator.js';

/**
 * Prevents `@nestjs/cache-manager` from sharing the result of a handler that requires a scope
 * between its callers.
 */
@Injectable()
export class UncachedHandlers implements OnModuleInit {
  constructor(private readonly discovery: RouteDiscovery) {}

  onModuleInit(): void {
    for (const { route } of this.discovery.declarations(RequireScope))
      preventCaching(route.handler);
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { preventCaching } from '../http/response-content.js';
import { RouteDiscovery } from '../http/route-discovery.js';
import { RequireScope } from './require-scope.decorator.js';

/**
 * Prevents `@nestjs/cache-manager` from caching the results of handlers that require a scope,
 * because each result belongs to one caller.
 */
@Injectable()
export class UncachedHandlers implements OnModuleInit {
  constructor(private readonly discovery: RouteDiscovery) {}

  onModuleInit(): void {
    for (const { route } of this.discovery.declarations(RequireScope))
      preventCaching(route.handler);
  }
}

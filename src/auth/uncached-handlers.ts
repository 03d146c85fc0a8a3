import { Injectable, type OnModuleInit } from '@nestjs/common';
import { preventCaching } from '../http/response-content.js';
import { RouteDiscovery } from '../http/route-discovery.js';
import { GuardDiscovery } from './guard-discovery.js';

/**
 * Prevents `@nestjs/cache-manager` from caching the results of handlers that sign their caller in,
 * because each result belongs to one caller.
 */
@Injectable()
export class UncachedHandlers implements OnModuleInit {
  constructor(
    private readonly discovery: RouteDiscovery,
    private readonly guards: GuardDiscovery,
  ) {}

  onModuleInit(): void {
    for (const route of this.discovery.routes) {
      if (this.guards.guardsOf(route).signInGuardCount > 0) preventCaching(route.handler);
    }
  }
}

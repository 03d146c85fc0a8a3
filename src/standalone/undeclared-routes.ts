import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EndpointRegistry } from '../endpoint/endpoint-registry.js';

/**
 * Stops the boot of the standalone application if a route declares neither `@Endpoint`,
 * `@RequireScope` nor `@Public`, so that no route is open by omission.
 */
@Injectable()
export class UndeclaredRoutes implements OnModuleInit {
  constructor(private readonly registry: EndpointRegistry) {}

  /**
   * Checks that every route declares its access.
   *
   * @throws {Error} naming the routes that do not.
   */
  onModuleInit(): void {
    const { undeclaredRoutes } = this.registry;
    if (undeclaredRoutes.length === 0) return;
    const names = undeclaredRoutes.map(({ name }) => name).join(', ');
    throw new Error(
      `These handlers must declare @Endpoint(...), @RequireScope(...) or @Public(): ${names}`,
    );
  }
}

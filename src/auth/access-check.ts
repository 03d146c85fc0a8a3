import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { declaredAccess } from './access.decorator.js';

/** Under this key Nest keeps the HTTP method of a route handler. */
const METHOD_METADATA = 'method';

/** Stops the boot when a route handler does not say who may call it: nothing is open by omission. */
@Injectable()
export class AccessCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws {Error} naming every handler that carries neither `@Access` nor `@Public`. */
  onModuleInit(): void {
    const undeclared = this.routes().filter(
      ({ handler, controller }) => declaredAccess(handler, controller) === undefined,
    );
    if (undeclared.length === 0) return;
    const names = undeclared.map(({ name }) => name).join(', ');
    throw new Error(`These handlers must declare @Access(...) or @Public(): ${names}`);
  }

  private routes(): { name: string; handler: () => unknown; controller: () => unknown }[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const controller = metatype as () => unknown;
      const prototype = controller.prototype as Record<string, () => unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
        const handler = prototype[method];
        if (!handler || !isRoute(handler)) return [];
        return [{ name: `${controller.name}.${method}`, handler, controller }];
      });
    });
  }
}

function isRoute(handler: () => unknown): boolean {
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  return method !== undefined;
}

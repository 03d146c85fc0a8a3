import { Injectable, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A route's handler. */
export interface Route {
  /** `Controller.handler`, for messages. */
  readonly name: string;
  readonly controller: Type;
  readonly handler: () => unknown;
  /** The name of the handler's property on the controller. */
  readonly method: string;
}

/** Finds every route of the application by the metadata of its controllers. */
@Injectable()
export class RouteDiscovery {
  #routes: readonly Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /**
   * The routes. They are collected on the first access, which must not happen before Nest creates
   * the providers.
   */
  get routes(): readonly Route[] {
    this.#routes ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) =>
        typeof metatype === 'function' ? this.#routesOf(metatype as Type) : [],
      );
    return this.#routes;
  }

  #routesOf(controller: Type): Route[] {
    const prototype = controller.prototype as Readonly<Record<string, () => unknown>>;
    return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handler = prototype[method];
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      return [{ name: `${controller.name}.${method}`, controller, handler, method }];
    });
  }
}

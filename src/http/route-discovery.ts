import { Injectable, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import {
  DiscoveryService,
  MetadataScanner,
  Reflector,
  type ReflectableDecorator,
} from '@nestjs/core';

/** A route's handler. */
export interface Route {
  /** `Controller.handler`, for messages. */
  readonly name: string;
  readonly controller: Type;
  readonly handler: () => unknown;
  /** The name of the handler's property on the controller. */
  readonly method: string;
}

/** A value that a decorator declares on a route. */
export interface Declaration<Value> {
  readonly route: Route;
  readonly value: Value;
}

/** Finds every route of the application by the metadata of its controllers. */
@Injectable()
export class RouteDiscovery {
  #routes: readonly Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
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

  /**
   * Returns the values that a decorator of `Reflector.createDecorator` declares, route by route. A
   * handler's own declaration takes precedence over its controller's.
   */
  declarations<Value>(decorator: ReflectableDecorator<Value>): readonly Declaration<Value>[] {
    return this.routes.flatMap((route) => {
      const targets = [route.handler, route.controller];
      const value = this.reflector.getAllAndOverride<Value | undefined>(decorator.KEY, targets);
      return value === undefined ? [] : [{ route, value }];
    });
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

import { Injectable, RequestMethod, type PipeTransform, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { shapeOf } from '../redaction/shape-of.js';
import type { Shape } from '../redaction/field.js';
import { ShapeAdditions } from '../redaction/shape-additions.js';
import { reachableShapes } from '../redaction/walk.js';
import { declaredAccess, type DeclaredAccess, type EndpointPolicy } from './endpoint-policy.js';

/** Keys under which Nest keeps what its decorators say; it exports them from no package entry. */
const METHOD = 'method';
const PATH = 'path';
const ROUTE_ARGUMENTS = '__routeArguments__';
const HTTP_CODE = '__httpCode__';
const PASSTHROUGH = '__responsePassthrough__';

/** `RouteParamtypes` of Nest, as they begin the keys of a handler's arguments. */
export const ARGUMENT = { response: 1, body: 3, query: 4, param: 5 } as const;

/** A decorated parameter of a handler. */
export interface RouteArgument {
  readonly kind: number;
  /** The name given to the decorator: `id` of `@Param('id')`. */
  readonly name: string | undefined;
  readonly type: Type | undefined;
  readonly pipes: readonly (Type<PipeTransform> | PipeTransform)[];
}

/** A route handler as its decorators describe it. */
export interface Route {
  /** `Controller.handler`. */
  readonly name: string;
  readonly controller: string;
  readonly handler: string;
  /** Lower case. */
  readonly method: string;
  /** With a leading slash and parameters as `:name`. */
  readonly path: string;
  /** Status of a success. */
  readonly status: number;
  readonly arguments: readonly RouteArgument[];
  /** The handler writes the response itself, past the interceptor. */
  readonly writesResponse: boolean;
  readonly declared: DeclaredAccess | undefined;
}

export interface EndpointRoute extends Route {
  readonly declared: EndpointPolicy;
  /** Its response with the fields of the team. */
  readonly shape: Shape;
  /** Paths of the fields of the team. */
  readonly addedPaths: ReadonlySet<string>;
}

/** Every route of the application, read once from the controllers' metadata. */
@Injectable()
export class EndpointRegistry {
  #routes: readonly Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly additions: ShapeAdditions,
  ) {}

  get routes(): readonly Route[] {
    this.#routes ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) =>
        typeof metatype === 'function' ? this.#routesOf(metatype as Type) : [],
      );
    return this.#routes;
  }

  /** The routes declared by `@Endpoint`. */
  get endpoints(): readonly EndpointRoute[] {
    const addedPaths = this.additions.paths;
    return this.routes.flatMap((route) => {
      const { declared } = route;
      if (declared === undefined || declared === 'public') return [];
      if (typeof (declared.response as unknown) !== 'function') {
        throw new Error(`${route.name}: declare a response shape, a class`);
      }
      return [{ ...route, declared, shape: this.shapeOf(declared.response), addedPaths }];
    });
  }

  /** A response DTO with the fields of the team. */
  shapeOf(dto: Type): Shape {
    return this.additions.of(shapeOf(dto));
  }

  /** The shapes of all responses. */
  get shapes(): readonly Shape[] {
    return [...new Set(this.endpoints.map(({ shape }) => shape))];
  }

  /** Every shape that a response contains. */
  get allShapes(): readonly Shape[] {
    return reachableShapes(this.shapes);
  }

  get scopes(): ReadonlySet<string> {
    return new Set(this.endpoints.map(({ declared }) => declared.scope));
  }

  get flags(): ReadonlySet<string> {
    return new Set(this.endpoints.map(({ declared }) => declared.flag));
  }

  #routesOf(controller: Type): Route[] {
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      const method = handler && (metadata(METHOD, handler) as RequestMethod | undefined);
      if (!handler || method === undefined) return [];
      const args = argumentsOf(controller, prototype, name);
      const writes = args.some(({ kind }) => kind === ARGUMENT.response);
      return {
        name: `${controller.name}.${name}`,
        controller: controller.name,
        handler: name,
        method: RequestMethod[method].toLowerCase(),
        path: joinPaths(metadata(PATH, controller), metadata(PATH, handler)),
        status:
          (metadata(HTTP_CODE, handler) as number | undefined) ??
          (method === RequestMethod.POST ? 201 : 200),
        arguments: args,
        writesResponse: writes && Reflect.getMetadata(PASSTHROUGH, controller, name) !== true,
        declared: declaredAccess(handler, controller),
      };
    });
  }
}

function metadata(key: string, target: object): unknown {
  return Reflect.getMetadata(key, target);
}

function argumentsOf(controller: Type, prototype: object, name: string): RouteArgument[] {
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as Type[];
  const decorated = (Reflect.getMetadata(ROUTE_ARGUMENTS, controller, name) ?? {}) as Record<
    string,
    { readonly index: number; readonly data?: unknown; readonly pipes?: RouteArgument['pipes'] }
  >;
  return Object.entries(decorated)
    .map(([key, { index, data, pipes = [] }]) => ({
      index,
      // The keys of custom decorators begin with a name, which is no number.
      kind: Number(key.slice(0, key.indexOf(':'))),
      name: typeof data === 'string' ? data : undefined,
      type: types[index],
      pipes,
    }))
    .sort((one, other) => one.index - other.index);
}

function joinPaths(...paths: unknown[]): string {
  const segments = paths.flatMap((path) => {
    const first: unknown = Array.isArray(path) ? path[0] : path;
    return ((first as string | undefined) ?? '').split('/').filter((segment) => segment !== '');
  });
  return `/${segments.join('/')}`;
}

import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { reachableDtos } from '../redaction/field.js';
import { declaredAccess, type EndpointPolicy } from './endpoint-policy.js';

interface Route {
  /** `Controller.handler`. */
  readonly name: string;
  /** The types of its `@Body()` parameters, by which Nest's pipe checks them: those of an interface are `Object`. */
  readonly bodies: readonly unknown[];
  /** The handler writes the response itself, past the interceptor. */
  readonly writesResponse: boolean;
  readonly declared: ReturnType<typeof declaredAccess>;
}

type EndpointRoute = Route & { readonly declared: EndpointPolicy };

/** Every route of the application, by the metadata of the controllers. Stops the boot on a wrong endpoint. */
@Injectable()
export class EndpointRegistry implements OnModuleInit {
  #routes: readonly Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  get routes(): readonly Route[] {
    this.#routes ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) =>
        typeof metatype === 'function' ? this.#routesOf(metatype as Type) : [],
      );
    return this.#routes;
  }

  get endpoints(): readonly EndpointRoute[] {
    return this.routes.filter((of): of is EndpointRoute => typeof of.declared === 'object');
  }

  get dtos(): readonly Type[] {
    return reachableDtos(this.endpoints.map(({ declared }) => declared.response));
  }

  get scopes(): ReadonlySet<string> {
    return new Set(this.endpoints.map(({ declared }) => declared.scope));
  }

  get flags(): ReadonlySet<string> {
    return new Set(this.endpoints.map(({ declared }) => declared.flag));
  }

  /** @throws {Error} with one line for each wrong endpoint. */
  onModuleInit(): void {
    const names = this.dtos.map(({ name }) => name);
    const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
    const problems = [
      ...this.endpoints.flatMap(problemsOf),
      ...Array.from(twice, (name) => `Two response classes are called ${name}: rename one`),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  #routesOf(controller: Type): Route[] {
    const prototype = controller.prototype as Record<string, () => unknown>;
    const isRoute = (name: string): boolean =>
      Reflect.hasMetadata(METHOD_METADATA, prototype[name] ?? {});
    return this.scanner
      .getAllMethodNames(prototype)
      .filter(isRoute)
      .map((name) => ({
        name: `${controller.name}.${name}`,
        bodies: parameterTypes(RouteParamtypes.BODY, controller, name),
        writesResponse:
          parameterTypes(RouteParamtypes.RESPONSE, controller, name).length > 0 &&
          Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, name) !== true,
        declared: declaredAccess(prototype[name] as () => unknown, controller),
      }));
  }
}

function parameterTypes(kind: RouteParamtypes, controller: Type, handler: string): unknown[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, handler) ?? []) as unknown[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ??
    {}) as Readonly<Record<string, { readonly index: number }>>;
  return Object.entries(parameters)
    .filter(([key]) => key.startsWith(`${kind}:`))
    .map(([, { index }]) => types[index]);
}

/** Stops the boot of the standalone application on a handler without a declaration: nothing is open by omission. */
@Injectable()
export class UndeclaredHandlers implements OnModuleInit {
  constructor(private readonly registry: EndpointRegistry) {}

  onModuleInit(): void {
    const undeclared = this.registry.routes.filter(({ declared }) => declared === undefined);
    if (undeclared.length === 0) return;
    const names = undeclared.map(({ name }) => name).join(', ');
    throw new Error(`These handlers must declare @Endpoint(...) or @Public(): ${names}`);
  }
}

function problemsOf({ name, declared: { body }, bodies, writesResponse }: EndpointRoute): string[] {
  const isBody = bodies.length === (body ? 1 : 0) && bodies.every((type) => type === body);
  return [
    ...(isBody ? [] : [`${name}: declare body: the class of its @Body() parameter`]),
    ...(writesResponse
      ? [`${name}: use @Res({ passthrough: true }), or the response is not redacted`]
      : []),
  ];
}

import { RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import type { Route } from './route-discovery.js';

/**
 * Returns whether the handler writes the response itself, so that Nest does not send its result.
 */
export function writesResponse(route: Route): boolean {
  const { controller, method } = route;
  const isPassedThrough: unknown = Reflect.getMetadata(
    RESPONSE_PASSTHROUGH_METADATA,
    controller,
    method,
  );
  return parameterTypes(RouteParamtypes.RESPONSE, route).length > 0 && isPassedThrough !== true;
}

/** Returns the declared types of a handler's parameters of one kind. */
export function parameterTypes(kind: RouteParamtypes, { controller, method }: Route): unknown[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ??
    {}) as Readonly<Record<string, { readonly index: number }>>;
  return Object.entries(parameters)
    .filter(([key]) => key.startsWith(`${kind}:`))
    .map(([, { index }]) => types[index]);
}

import { RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';

/**
 * Decorator that checks that Nest sends the result of a handler. With `@Res()` alone, the handler
 * sends the response itself, so its result would be redacted in vain.
 *
 * @throws {Error} for a handler that takes `@Res()` without `passthrough`.
 */
export const assertResultIsSent: MethodDecorator = ({ constructor }, name) => {
  // The decorators of parameters have run before those of their method.
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, constructor, name) ?? {}) as object;
  const takesResponse = Object.keys(parameters).some((key) =>
    key.startsWith(`${RouteParamtypes.RESPONSE}:`),
  );
  const isPassedThrough: unknown = Reflect.getMetadata(
    RESPONSE_PASSTHROUGH_METADATA,
    constructor,
    name,
  );
  if (!takesResponse || isPassedThrough === true) return;
  const handler = `${constructor.name}.${String(name)}`;
  throw new Error(`${handler}: use @Res({ passthrough: true }), or the response is not redacted`);
};

import { Res } from '@nestjs/common';
import { RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';

/** The beginning of the key by which Nest records a parameter with `@Res()`, such as `1:`. */
const RESPONSE_PARAMETER = responseParameter();

/**
 * Decorator that checks that Nest sends the result of a handler. With `@Res()` alone, the handler
 * sends the response itself, so its result would be redacted in vain.
 *
 * @throws {Error} for a handler that takes `@Res()` without `passthrough`.
 */
export const assertResultIsSent: MethodDecorator = ({ constructor }, name) => {
  // The decorators of parameters have run before those of their method.
  const takesResponse = parametersOf(constructor, name).some((key) =>
    key.startsWith(RESPONSE_PARAMETER),
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

/** Returns the keys by which Nest records the decorated parameters of a handler. */
function parametersOf(controller: object, handler: string | symbol): string[] {
  return Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as object,
  );
}

/** Learns the beginning from the decorator, because no public export of Nest contains it. */
function responseParameter(): string {
  class Example {
    handle(): void {}
  }
  Res()(Example.prototype, 'handle', 0);
  const [key = ''] = parametersOf(Example, 'handle');
  return key.slice(0, key.indexOf(':') + 1);
}

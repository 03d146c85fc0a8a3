/**
 * A decorator for handlers that return `Response` or a promise of it. On any other handler, the
 * decorator does not compile.
 */
export type HandlerDecorator<Response> = <
  Handler extends (...parameters: never[]) => Response | Promise<Response>,
>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

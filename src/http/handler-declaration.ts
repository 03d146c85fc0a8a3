import type { ExecutionContext } from '@nestjs/common';
import { Reflector, type ReflectableDecorator } from '@nestjs/core';
import { UsageError } from '../kernel/usage-error.js';

const reflector = new Reflector();

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

/** The handler of a call and its controller. */
export type HandlerCall = Pick<ExecutionContext, 'getHandler' | 'getClass'>;

/**
 * Returns the value that a decorator of `Reflector.createDecorator` declares for the handler of a
 * call: the handler's own declaration, otherwise its controller's.
 */
export function declarationOf<Value>(
  decorator: ReflectableDecorator<Value>,
  call: HandlerCall,
): Value | undefined {
  return reflector.getAllAndOverride(decorator.KEY, [call.getHandler(), call.getClass()]);
}

/**
 * Like `declarationOf`, for a guard or an interceptor that requires the declaration.
 *
 * @param name the decorator's name, for the message.
 * @throws {UsageError} on a handler without the declaration.
 */
export function requiredDeclarationOf<Value>(
  decorator: ReflectableDecorator<Value>,
  call: HandlerCall,
  name: string,
): Value {
  const value = declarationOf(decorator, call);
  if (value !== undefined) return value;
  throw new UsageError(`${call.getClass().name}.${call.getHandler().name} must declare @${name}`);
}

import type { HttpException, Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

/** The first name in a message of Nest's `ValidationPipe`: `items` in `items.0.label must be …`. */
const FIRST_NAME = /^[\w$]+/;

/**
 * Returns the properties of a body that Nest's `ValidationPipe` has rejected, for the log.
 *
 * @param body the class of the body. Only properties that it declares are returned, because the
 *   caller chooses every other name.
 * @returns undefined if the exception is of another kind.
 */
export function rejectedPropertiesOf(
  exception: HttpException,
  body: Type | undefined,
): readonly string[] | undefined {
  const { message } = Object(exception.getResponse()) as { readonly message?: unknown };
  if (!body || !Array.isArray(message)) return undefined;
  const declared = getMetadataStorage()
    .getTargetValidationMetadatas(body, '', false, false)
    .map(({ propertyName }) => propertyName);
  const named = message.flatMap((text) => FIRST_NAME.exec(String(text)) ?? []);
  return [...new Set(named)].filter((name) => declared.includes(name));
}

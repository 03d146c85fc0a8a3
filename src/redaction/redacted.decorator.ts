import type { Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/**
 * Declares the response class of a handler: `RedactionInterceptor` sends nothing that the class
 * does not declare.
 */
export const Redacted = Reflector.createDecorator<Type>();

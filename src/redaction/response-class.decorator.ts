import type { Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/** Declares the response class of a handler, for `RedactionInterceptor` and the boot check. */
export const ResponseClass = Reflector.createDecorator<Type>();

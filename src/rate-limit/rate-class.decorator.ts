import { Reflector } from '@nestjs/core';

/** Declares the rate class in which the requests of a handler are counted (contract, section 8). */
export const RateClass = Reflector.createDecorator<string>();

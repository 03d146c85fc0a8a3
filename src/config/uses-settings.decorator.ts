import { Reflector } from '@nestjs/core';

/**
 * Declares, on a provider or controller, the variables of settings that only its module uses. They
 * have no effect in an application without the module.
 */
export const UsesSettings = Reflector.createDecorator<readonly string[]>();

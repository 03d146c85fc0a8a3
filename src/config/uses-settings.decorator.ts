import { Reflector } from '@nestjs/core';

/**
 * Declares on a provider or controller the variables of settings that only its module uses. In an
 * application without the module they have no effect.
 */
export const UsesSettings = Reflector.createDecorator<readonly string[]>();

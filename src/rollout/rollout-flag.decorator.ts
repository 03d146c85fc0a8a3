import { Reflector } from '@nestjs/core';

/**
 * Declares the rollout flag of a handler, `[a-z][a-z0-9_]*`, which the setting `ROLLOUT_<FLAG>`
 * sets. A new flag is off until it is set.
 */
export const RolloutFlag = Reflector.createDecorator<string>();

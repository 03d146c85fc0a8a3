import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { AnyShape } from '../wire/field.js';

export const ANSWERS_KEY = 'deal-sets:answers';

/** Declares the shape of what a handler answers. What the shape does not declare is never sent. */
export function Answers(shape: AnyShape): CustomDecorator {
  return SetMetadata(ANSWERS_KEY, shape);
}

import { ignoreRejection } from '../kernel/ignore-rejection.js';
import type { Principal } from '../kernel/principal.js';

/** A field by its place: the shape's name and the field's, `Row.sellingPriceCents`. */
export type FieldPath = `${string}.${string}`;

/** Hides fields from some principals; anything that `from` returns but `false` hides. */
export interface FieldRule {
  readonly hide: readonly FieldPath[];
  readonly from: (principal: Principal) => boolean;
}

/** Whether a rule hides from the principal; it throws what the rule throws. */
export function hidesFrom({ from }: Pick<FieldRule, 'from'>, principal: Principal): boolean {
  const answer: unknown = from(principal);
  ignoreRejection(answer);
  return answer !== false;
}

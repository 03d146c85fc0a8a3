import type { Principal } from '../kernel/principal.js';
import type { FieldPath } from './field.js';

/** The fields that the application hides from some principals, in addition to withheld fields. */
export abstract class HiddenFields {
  /** Every field that is hidden from some principal. */
  abstract readonly named: readonly FieldPath[];
  /**
   * Returns the fields that are hidden from a principal.
   *
   * @throws {AppError} `internal` when this cannot be decided; nothing may be sent then.
   */
  abstract fieldsHiddenFrom(principal: Principal): ReadonlySet<FieldPath>;
}

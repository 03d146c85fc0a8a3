import type { Principal } from '../kernel/principal.js';

/**
 * A team's own rule: names further fields to hide from a principal.
 *
 * Guarantees: it can only hide. A nullable field becomes null, an optional one is left out; what the
 * contract withholds stays withheld, whatever a rule says, and several rules hide the union of what they
 * name.
 * Must never: depend on anything but the principal; block (it runs on every answer).
 * When it fails: a rule that throws, or names a field that does not exist or cannot be hidden, fails the
 * request (500 `internal`): nothing is sent.
 *
 * Example, hiding list prices from one assistant:
 *
 *     class NoListPrices extends RedactionRule {
 *       fieldsToHide(principal: Principal): readonly string[] {
 *         return principal.type === 'assistant' && principal.clientId === 'acme'
 *           ? ['Row.listedAtCents', 'Hero.listedAtCents']
 *           : [];
 *       }
 *     }
 */
export abstract class RedactionRule {
  /** @returns paths of fields, the shape's name and the field's: `Row.listedAtCents`. */
  abstract fieldsToHide(principal: Principal): readonly string[];
}

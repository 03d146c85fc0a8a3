import type { Principal } from '../../kernel/principal.js';
import type { FieldPath } from '../../redaction/field.js';
import type { ListingFact } from './listing-facts.js';

/**
 * A team's own rule: hides further facts or fields from some principals.
 *
 * Guarantees: it can only hide. A listing fact is blanked after rows were grouped, ranked and counted and
 * before any display text is made, in both endpoints: labels do not repeat it. A field becomes null, an
 * optional one is left out. What the contract withholds stays withheld, and several rules hide the union of
 * what they name.
 * Must never: depend on anything but the principal; block (`from` runs on every response).
 * When it fails: a rule that names something unknown stops the boot. A `from` that throws fails the request
 * (500 `internal`, nothing is sent); one that returns anything but `false` hides.
 *
 * Example, hiding list prices from one assistant:
 *
 *     const noListPrices: RedactionRule = {
 *       hide: ['listedAtCents'],
 *       from: (principal) => principal.type === 'assistant' && principal.clientId === 'acme',
 *     };
 */
export interface RedactionRule {
  /**
   * Facts of a listing (`listedAtCents`), or paths of nullable or optional fields that no display text uses:
   * the shape's name and the field's (`Row.sellingPriceCents`).
   */
  readonly hide: readonly (ListingFact | FieldPath)[];
  readonly from: (principal: Principal) => boolean;
}

/**
 * The token of the check that the application imports `DealSetsModule` once. Nest promises no order
 * of providers, so what a second import would create again injects the check.
 */
export const IMPORTED_ONCE = Symbol('imported once');

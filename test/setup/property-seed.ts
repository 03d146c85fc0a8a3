/**
 * The seed of property tests on a database. It is the same in every run, so a failed run is caused
 * by a change. `PROPERTY_SEED=<number>` tries other cases, as the checks before a release do.
 */
export const PROPERTY_SEED = Number(process.env['PROPERTY_SEED'] ?? 1);

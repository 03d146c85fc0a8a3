/**
 * The seed of properties that are tried on a database: the same in every run, so that a red run is
 * the fault of what changed. `PROPERTY_SEED=<number>` tries other cases; that is part of the checks
 * before a release.
 */
export const PROPERTY_SEED = Number(process.env['PROPERTY_SEED'] ?? 1);

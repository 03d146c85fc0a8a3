import type { Replacement } from '../setup/planted-fault.js';

/**
 * A deliberate fault, found by its text: keep `from` short. In functions and views of the database the text is that
 * of `pg_get_functiondef` and `pg_get_viewdef` after all migrations.
 */
export type Fault = Replacement & {
  /** The fault in a sentence, and its name in the report. */
  readonly plants: string;
  /** Further replacements, where a mechanism is secured more than once. */
  readonly also?: readonly Replacement[];
  readonly failing: {
    /** A pattern of paths: the smallest suite that notices. */
    readonly suites: string;
    /** A part of the title of the test that must fail. Default: any. */
    readonly test?: string;
  };
  /** The suites must pass: another mechanism secures it too. */
  readonly isHarmless?: true;
};

export const replacementsOf = (fault: Fault): Replacement[] => [fault, ...(fault.also ?? [])];

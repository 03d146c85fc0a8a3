import type { Replacement, Where } from '../setup/planted-fault.js';

/** A deliberate fault: its replacements, and the test that must fail. */
export interface Fault {
  /** A sentence that describes the fault, and its name in the report. */
  readonly plants: string;
  /** Several where more than one mechanism prevents the fault. */
  readonly replacements: readonly Replacement[];
  /** A pattern of paths: the smallest suite that detects the fault. */
  readonly suites: string;
  /** A part of the title of the test that must fail. Default: any. */
  readonly test?: string;
  /** Whether the suites must pass because another mechanism also prevents the fault. */
  readonly isHarmless?: true;
}

/** Begins a fault with this name. */
export const plant = (plants: string): FaultBuilder => new FaultBuilder(plants, []);

class FaultBuilder {
  constructor(
    private readonly plants: string,
    private readonly replacements: readonly Replacement[],
  ) {}

  /** Replaces a text that occurs exactly once; keep it short. */
  in(where: Where, from: string, to: string): FaultBuilder {
    return new FaultBuilder(this.plants, [...this.replacements, { where, from, to }]);
  }

  /** Runs a statement after the migrations. */
  sql(to: string): FaultBuilder {
    return new FaultBuilder(this.plants, [...this.replacements, { where: 'database', to }]);
  }

  fails(suites: string, test?: string): Fault {
    const { plants, replacements } = this;
    return { plants, replacements, suites, ...(test !== undefined && { test }) };
  }

  isHarmlessFor(suites: string): Fault {
    return { ...this.fails(suites), isHarmless: true };
  }
}

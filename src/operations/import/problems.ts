/** A problem of one line of an import file. */
export interface Problem {
  /** The line's number in the file, from 1. */
  readonly line: number;
  /** The key, such as `priceCheck.price.otdCents`; undefined for the whole line. */
  readonly key?: string;
  readonly reason: string;
}

/** The number of problems that an error lists. */
export const LISTED_PROBLEMS = 20;

/** The problems of one file. All are counted; only the first ones are kept. */
export class Problems {
  readonly #kept: Problem[] = [];
  count = 0;

  add(problem: Problem): void {
    this.count += 1;
    if (this.#kept.length < LISTED_PROBLEMS) this.#kept.push(problem);
  }

  /** @throws {ImportRejectedError} when there is any problem. */
  throwIfAny(): void {
    if (this.count > 0) throw new ImportRejectedError(this.#kept, this.count);
  }
}

/** The error of a file that was rejected. Nothing of it was kept. */
export class ImportRejectedError extends Error {
  override readonly name = 'ImportRejectedError';

  /**
   * @param problems the first problems.
   * @param count the number of all problems.
   */
  constructor(problems: readonly Problem[], count: number) {
    const lines = problems
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, key, reason }) => `line ${line}: ${key ? `${key}: ` : ''}${reason}`);
    if (count > lines.length) lines.push(`and ${count - lines.length} more`);
    super(lines.join('\n'));
  }
}

/** Why a line of an import file cannot be taken. */
export interface Problem {
  /** Line of the file, from 1. */
  readonly line: number;
  /** Where in the line, such as `priceCheck.price.otdCents`; undefined: the line as a whole. */
  readonly key?: string;
  readonly reason: string;
}

const LISTED = 20;

/** The problems of one file: all are counted, the first ones are kept. */
export class Problems {
  readonly #kept: Problem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(problem: Problem): void {
    this.#count += 1;
    if (this.#kept.length < LISTED) this.#kept.push(problem);
  }

  /** Counts problems that are not listed. */
  addUnlisted(count: number): void {
    this.#count += count;
  }

  /** @throws {ImportRefused} when there is any problem. */
  throwIfAny(): void {
    if (this.#count > 0) throw new ImportRefused(this.#kept, this.#count);
  }
}

/** The file was refused, and nothing of it was kept. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  readonly problems: readonly Problem[];

  /** @param count of all problems, the listed ones included. */
  constructor(
    problems: readonly Problem[],
    readonly count: number,
  ) {
    const listed = [...problems].sort((a, b) => a.line - b.line).slice(0, LISTED);
    const lines = listed.map(
      ({ line, key, reason }) => `line ${line}: ${key === undefined ? '' : `${key}: `}${reason}`,
    );
    if (count > listed.length) lines.push(`and ${count - listed.length} more`);
    super(lines.join('\n'));
    this.problems = listed;
  }
}

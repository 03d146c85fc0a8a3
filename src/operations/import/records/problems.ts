/** A problem of one line of an import file. */
export interface Problem {
  /** The line's number in the file, from 1. */
  readonly line: number;
  /** The key, such as `priceCheck.price.otdCents`; undefined for the whole line. */
  readonly key?: string;
  readonly reason: string;
  /** What is special about this line, such as the key that it has twice. */
  readonly detail?: string;
}

/** All problems of a file with the same key and reason. */
interface ProblemGroup {
  /** The first ones. */
  readonly first: Problem[];
  count: number;
}

/** The number of different pairs of key and reason that an error lists. */
const LISTED_GROUPS = 20;
/** The number of lines that an error lists for each of them. */
export const LISTED_LINES = 3;

/** The problems of one file. All are counted; the first ones of each kind are kept. */
export class Problems {
  readonly #groups = new Map<string, ProblemGroup>();
  #others = 0;

  /** Whether there is no problem. */
  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /**
   * Adds problems with the same key and reason.
   *
   * @param count their number, of which `problem` is the first.
   */
  add(problem: Problem, count = 1): void {
    const name = `${problem.key}\n${problem.reason}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size === LISTED_GROUPS) {
        this.#others += count;
        return;
      }
      group = { first: [], count: 0 };
      this.#groups.set(name, group);
    }
    group.count += count;
    if (group.first.length < LISTED_LINES) group.first.push(problem);
  }

  /** @throws {ImportRejectedError} when there is any problem. */
  throwIfAny(): void {
    if (this.isEmpty) return;
    const texts = [...this.#groups.values()].toSorted((a, b) => lineOf(a) - lineOf(b)).map(textOf);
    if (this.#others > 0) texts.push(`and ${this.#others.toLocaleString('en-US')} of other kinds`);
    throw new ImportRejectedError(texts);
  }
}

/** The error of a file that was rejected. Nothing of it was kept. */
export class ImportRejectedError extends Error {
  override readonly name = 'ImportRejectedError';

  /**
   * @param problems the texts of the problems: one for each different pair of key and reason, with
   *   the first lines that have it.
   */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const lineOf = ({ first }: ProblemGroup): number => first[0]?.line ?? 0;

function textOf({ first, count }: ProblemGroup): string {
  const { key, reason } = first[0] ?? { reason: '' };
  const details = first
    .filter(({ detail }) => detail !== undefined)
    .map(({ line, detail }) => (count === 1 ? detail : `line ${line}: ${detail}`));
  const where = linesText(
    first.map(({ line }) => line),
    count,
  );
  const more = details.length > 0 ? ` (${details.join('; ')})` : '';
  return `${where}: ${key === undefined ? '' : `${key}: `}${reason}${more}`;
}

/**
 * Names lines: `line 2`, `lines 2 and 5`, `lines 2, 5, 8 and 115,586 more`.
 *
 * @param first the first of them.
 * @param count the number of all of them.
 */
export function linesText(first: readonly number[], count: number): string {
  if (count === 1) return `line ${first[0]}`;
  const items = first.map(String);
  const last =
    count > first.length
      ? `${(count - first.length).toLocaleString('en-US')} more`
      : (items.pop() ?? '');
  return `lines ${items.join(', ')} and ${last}`;
}

/** Shortens text from the file and removes characters that a terminal would interpret. */
export function printable(text: string): string {
  const plain = text.replaceAll(/\p{C}/gu, '?');
  return plain.length > 64 ? `${plain.slice(0, 64)}…` : plain;
}

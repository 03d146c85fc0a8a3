import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANTS } from '../soak/feed-mutants.js';
import { PLANTED_LEAKS } from '../soak/planted-leaks.js';

const ROOT = join(__dirname, '../..');

interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** How often each search text occurs, with the earlier edits of the same fault applied. */
function occurrences(edits: readonly Edit[]): string[] {
  const contents = new Map<string, string>();
  return edits.map(({ file, from, to }) => {
    const content = contents.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
    const parts = content.split(from);
    contents.set(file, parts.join(to));
    return `${parts.length - 1} × ${from}`;
  });
}

const once = (edits: readonly Edit[]): string[] => edits.map(({ from }) => `1 × ${from}`);

// The suites that plant the faults take minutes and run on demand: without this check, a change of the
// sources would leave a fault that can no longer be planted unnoticed until then.
describe('the faults that the mutation suites plant', () => {
  it.each(MUTANTS)('of the feed: $what', ({ edits }) => {
    expect(occurrences(edits)).toEqual(once(edits));
  });

  it.each(PLANTED_LEAKS)('of the redaction: $name', ({ changes }) => {
    const edits = changes.map(([file, from, to]) => ({ file, from, to }));
    expect(occurrences(edits)).toEqual(once(edits));
  });
});

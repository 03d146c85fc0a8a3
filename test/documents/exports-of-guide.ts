import { readFileSync } from 'node:fs';
import path from 'node:path';

const GUIDE = readFileSync(path.join(__dirname, '../../docs/extending.md'), 'utf8');

/** A row of the table of exports in the guide. */
export interface DocumentedExports {
  readonly entryPoint: string;
  /** The second column, without links. */
  readonly what: string;
  readonly names: readonly string[];
}

/** Returns the rows of the table below the heading "Exports" of `docs/extending.md`. */
export function documentedExports(): readonly DocumentedExports[] {
  const [, section = ''] = GUIDE.split('\n## Exports\n');
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  let current = '';
  return rows.map((row) => {
    const [, entryPoint = '', what = '', names = ''] = row.split('|').map((cell) => cell.trim());
    current = entryPoint === '' ? current : entryPoint.replaceAll('`', '');
    return {
      entryPoint: current,
      what: what.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
      names: Array.from(names.matchAll(/`(\w+)`/g), ([, name = '']) => name),
    };
  });
}

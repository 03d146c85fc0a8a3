import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as entities from '../../src/entities.js';
import * as service from '../../src/index.js';
import * as mcp from '../../src/mcp.js';
import * as operations from '../../src/operations.js';
import * as standalone from '../../src/standalone.js';

const GUIDE = readFileSync(path.resolve(__dirname, '../../docs/extending.md'), 'utf8');

/** Returns the names in the first column of the table below a heading. */
function documentedIn(heading: string): string[] {
  const [, section = ''] = GUIDE.split(`\n### \`${heading}\`\n`);
  const [table = ''] = section.split('\n#', 1);
  const rows = Array.from(table.matchAll(/^\| (`.+?) +\|/gm), ([, names = '']) => names);
  return rows.flatMap((names) => Array.from(names.matchAll(/`(\w+)`/g), ([, name = '']) => name));
}

describe('the tables of exports in the guide', () => {
  it.each<[entryPoint: string, exported: object]>([
    ['@deal-sets/service', service],
    ['@deal-sets/service/mcp', mcp],
    ['@deal-sets/service/standalone', standalone],
    ['@deal-sets/service/entities', entities],
    ['@deal-sets/service/operations', operations],
  ])('name each export of %s once', (entryPoint, exported) => {
    expect(documentedIn(entryPoint).sort()).toEqual(Object.keys(exported).sort());
  });
});

import * as entities from '../../src/entities.js';
import * as service from '../../src/index.js';
import * as mcp from '../../src/mcp.js';
import * as operations from '../../src/operations.js';
import * as standalone from '../../src/standalone.js';
import { documentedExports } from '../documents/exports-of-guide.js';

describe('the table of exports in the guide', () => {
  it.each<[entryPoint: string, exported: object]>([
    ['@deal-sets/service', service],
    ['@deal-sets/service/mcp', mcp],
    ['@deal-sets/service/standalone', standalone],
    ['@deal-sets/service/entities', entities],
    ['@deal-sets/service/operations', operations],
  ])('names each export of %s once', (entryPoint, exported) => {
    const documented = documentedExports().filter((row) => row.entryPoint === entryPoint);
    expect(documented.flatMap(({ names }) => names).sort()).toEqual(Object.keys(exported).sort());
  });
});

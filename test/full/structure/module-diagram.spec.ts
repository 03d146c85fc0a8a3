import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ModulesContainer } from '@nestjs/core';
import { McpService } from '../../setup/mcp-service.js';

const ARCHITECTURE = path.join(__dirname, '../../../docs/architecture.md');
const DIAGRAM = /```mermaid\nflowchart TD\n(?<edges>[^`]*)```/;

/** The arrows of the diagram, as `Importing --> Imported`. */
function documentedImports(): string[] {
  const lines = DIAGRAM.exec(readFileSync(ARCHITECTURE, 'utf8'))
    ?.groups?.['edges']?.trim()
    .split('\n');
  return (lines ?? []).flatMap((line) => {
    const [from = '', targets = ''] = line.trim().split(' --> ');
    return targets.split(' & ').map((target) => `${from} --> ${target}`);
  });
}

/** The modules that import a global module themselves. */
const OF_GLOBAL_MODULES = [
  'AppModule --> DealSetsModule',
  'DealSetsModule --> DealSetsOptionsModule',
];

/** The imports as Nest has resolved them, without those that Nest adds for each global module. */
function resolvedImports(modules: ModulesContainer): string[] {
  const edges = [...modules.values()].flatMap(({ name, imports }) =>
    [...imports].flatMap((imported) => {
      const edge = `${name} --> ${imported.name}`;
      return imported.isGlobal && !OF_GLOBAL_MODULES.includes(edge) ? [] : [edge];
    }),
  );
  const isLibrary = /TypeOrm|DiscoveryModule|InternalCoreModule/;
  return [...new Set(edges)].filter((edge) => !isLibrary.test(edge));
}

describe('the modules of the service', () => {
  let mcp: McpService;
  beforeAll(async () => {
    mcp = await McpService.start();
  });
  afterAll(() => mcp.service.stop());

  it('import each other as the diagram in docs/architecture.md shows', () => {
    const modules = mcp.service.app.get(ModulesContainer);
    expect(resolvedImports(modules).sort()).toEqual(documentedImports().sort());
  });
});

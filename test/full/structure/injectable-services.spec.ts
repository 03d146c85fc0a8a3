import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Module, type InjectionToken } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Module as ModuleRef } from '@nestjs/core/injector/module.js';
import { getRepositoryToken } from '@nestjs/typeorm';
import * as entities from '../../../src/entities.js';
import * as service from '../../../src/index.js';
import * as mcp from '../../../src/mcp.js';
import { startModuleHost, type ModuleHost } from '../../setup/module-host.js';

const GUIDE = readFileSync(path.join(__dirname, '../../../docs/extending.md'), 'utf8');

/** Returns a column of the first table below a heading of the guide; the first column is 1. */
function column(heading: string, index = 1): string[] {
  const [, section = ''] = GUIDE.split(`\n## ${heading}\n`);
  const table = /\n\|[^]*?\n(?!\|)/.exec(section)?.[0].trim().split('\n') ?? [];
  return table.slice(2).map((line) => line.split('|')[index]?.trim() ?? '');
}

const PORTS_ROW = 'a port of the [table](#replace-a-port)';
const DEFAULTS_ROW = 'the default of a port';
const REPOSITORIES_ROW = 'a repository, by `@InjectRepository`';

/** The names of the classes in the table of injectable services. Ports count by their own names. */
function documentedServices(): string[] {
  return column('Injectable services')
    .filter((cell) => cell !== REPOSITORIES_ROW)
    .flatMap((cell) => {
      if (cell === PORTS_ROW) return column('Replace a port');
      return cell === DEFAULTS_ROW ? column('Replace a port', 2) : [cell];
    })
    .flatMap((cell) => /^`(\w+)`$/.exec(cell)?.[1] ?? []);
}

/**
 * What a host application can import. It loads `standalone` and `operations` only in processes that
 * do not import `DealSetsModule`.
 */
const PUBLIC: Readonly<Record<string, unknown>> = { ...service, ...mcp, ...entities };

/** Returns the providers that a module exports, including those of the modules that it exports. */
function exportedTokens({ imports, exports: exported }: ModuleRef): InjectionToken[] {
  const modules = [...imports].filter(({ metatype }) => exported.has(metatype));
  const reExported = new Set<unknown>(modules.map(({ metatype }) => metatype));
  const own = [...exported].filter((token) => !reExported.has(token));
  return [...own, ...modules.flatMap(exportedTokens)];
}

describe('the table of injectable services', () => {
  let host: ModuleHost;
  let injected: readonly unknown[];

  beforeAll(async () => {
    const tokens = documentedServices().map((name) => PUBLIC[name] as InjectionToken);
    const repositories = entities.ENTITIES.flatMap((entity) =>
      [service.SESSION_READS, service.ASSISTANT_READS].map((name) =>
        getRepositoryToken(entity, name),
      ),
    );
    const settings = service.loadSettings({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });

    @Module({
      providers: [
        {
          provide: 'everything',
          useFactory: (...dependencies: unknown[]) => (injected = dependencies),
          inject: [...tokens, ...repositories],
        },
      ],
    })
    class FeatureModule {}

    host = await startModuleHost({
      imports: [service.DealSetsModule.forRoot({ settings }), FeatureModule],
    });
  });
  afterAll(() => host.stop());

  it('lists services that a module of the application can inject', () => {
    expect(injected.length).toBeGreaterThan(documentedServices().length);
    expect(injected).not.toContain(undefined);
  });

  it('lists every class of the package that DealSetsModule exports', () => {
    const modules = [...host.app.get(ModulesContainer).values()];
    const dealSets = modules.find(({ metatype }) => metatype === service.DealSetsModule)!;
    const exported = new Set(exportedTokens(dealSets));
    const injectable = Object.entries(PUBLIC)
      .filter(([, value]) => exported.has(value as InjectionToken))
      .map(([name]) => name);
    expect(injectable.sort()).toEqual(documentedServices().sort());
  });
});

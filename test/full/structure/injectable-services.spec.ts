import { Module, type InjectionToken } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Module as ModuleRef } from '@nestjs/core/injector/module.js';
import { getRepositoryToken } from '@nestjs/typeorm';
import * as entities from '../../../src/entities.js';
import * as service from '../../../src/index.js';
import * as mcp from '../../../src/mcp.js';
import { documentedExports } from '../../documents/exports-of-guide.js';
import { startModuleHost, type ModuleHost } from '../../setup/module-host.js';

/** The rows of the guide's table of exports whose classes any provider can inject. */
const INJECTABLE_ROWS = ['ports', 'defaults to wrap', 'services to inject'];

/** The names of the injectable classes. */
function documentedServices(): string[] {
  return documentedExports()
    .filter(({ what }) => INJECTABLE_ROWS.includes(what))
    .flatMap(({ names }) => names);
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

describe('the injectable services in the table of exports', () => {
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

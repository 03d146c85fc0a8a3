/** The import rules. `npm run imports` checks them and prints the reason of a violated rule. */
const folders = (...names) => `^src/(${names.join('|')})/`;

/**
 * The layers of `src`, the lowest first. A folder imports from lower layers and from itself, never
 * from a higher layer and never from another folder of its own layer.
 */
const LAYERS = [
  ['kernel'],
  ['config'],
  ['observability'],
  ['http', 'database', 'rollout'],
  ['auth', 'rate-limit', 'redaction'],
  ['endpoint'],
  ['deal-sets'],
  ['openapi', 'oauth-metadata'],
  ['mcp'],
  ['standalone'],
  ['operations'],
];

const layerRules = LAYERS.flatMap((layer, index) =>
  layer.map((folder) => ({
    name: `${folder}-imports-lower-layers-only`,
    comment: 'Higher layers build on lower ones, so a lower layer must compile without them.',
    severity: 'error',
    from: { path: folders(folder), pathNot: '\\.spec\\.ts$' },
    to: { path: '^src/.*/', pathNot: folders(folder, ...LAYERS.slice(0, index).flat()) },
  })),
);

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'no-circles-of-folders',
      comment: 'Two folders that import each other cannot be understood or replaced one at a time.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      // Specs beside the code use the builders of `test`, which use the code. A spec of a folder
      // that higher layers import (`config`) needs helpers in a folder of `test` that imports
      // nothing higher. Otherwise, each of those layers is part of a circle.
      to: { path: '^src/', circular: true },
    },
    {
      name: 'no-circles',
      comment: 'Two files that import each other cannot be understood one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'kernel-needs-no-framework',
      comment:
        'Code that every layer shares uses no framework and no I/O. Only an error of the service is an exception of Nest.',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: '(\\.spec|^src/kernel/app-error)\\.ts$' },
      to: { pathNot: '^src/kernel/', dependencyTypesNot: ['core', 'type-only'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'Domain rules are pure functions of facts: no framework, no I/O, no wire format.',
      severity: 'error',
      from: { path: '^src/deal-sets/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/(deal-sets/domain|kernel)/' },
    },
    {
      name: 'dto-is-plain',
      comment:
        'Response and input DTOs only declare shapes of values that the domain defines; everything else is derived from them.',
      severity: 'error',
      from: { path: '^src/deal-sets/dto/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/',
        pathNot: '^src/(deal-sets/(dto|domain)|redaction/field|kernel)',
      },
    },
    {
      name: 'only-adapters-touch-the-database',
      comment: 'Only the folders that adapt TypeORM and the drivers import them.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: folders('database', 'operations', 'rate-limit'),
      },
      to: {
        path: '(^|/)node_modules/(typeorm|pg|pg-copy-streams|ioredis-6|ioredis)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'mcp-uses-the-public-surface',
      comment:
        'MCP uses only what a host application can use, the building blocks of an endpoint, and the OAuth metadata.',
      severity: 'error',
      from: { path: '^src/mcp/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(mcp|kernel|config|http|endpoint|oauth-metadata)/|^src/auth/(auth\\.module|admission\\.guard|mcp-resource)\\.ts$|^src/redaction/field(\\.decorators|-schema)?\\.ts$|^src/deal-sets/(deal-sets\\.api|dto/responses)\\.ts$|^src/observability/(mcp-call|trace-id)\\.ts$',
      },
    },
    {
      name: 'mcp-is-loaded-on-demand',
      comment:
        'Only its own entry point and, if MCP is on, the standalone application load MCP. Elsewhere it costs neither memory nor time.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(mcp/|mcp\\.ts$|standalone/start-service\\.ts$)' },
      to: { path: '^src/mcp/' },
    },
    {
      name: 'client-has-no-dependencies',
      comment:
        'The client runs in browsers and edge runtimes, so it imports no packages, no Node modules and nothing of the service.',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'demo-builds-on-the-package',
      comment:
        'The demo is a host application: it imports only what the packages export, by their names.',
      severity: 'error',
      from: { path: '^packages/demo/(src|web)/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(src|test|packages)/',
        pathNot:
          '^(packages/demo/|packages/client/|packages/embedded-postgres/src/index\\.ts$|packages/mcp-app/web/(offers|offer-row|partner-conditions|format)\\.ts$|src/(index|entities|operations|standalone)\\.ts$)',
      },
    },
    {
      name: 'service-does-not-import-packages',
      comment: 'The packages depend on the service or on its API, never the other way around.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^packages/' },
    },
    {
      name: 'testing-builds-on-the-package',
      comment: 'The kit is for host applications, so it imports only what they can import.',
      severity: 'error',
      from: { path: '^packages/(testing|embedded-postgres)/src/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(src|test|packages)/',
        pathNot: '^(packages/(testing|embedded-postgres)/|src/(index|operations|standalone)\\.ts$)',
      },
    },
    {
      name: 'source-does-not-import-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
    {
      name: 'unit-specs-reach-no-socket',
      comment:
        'Unit specs are many, so each is fast and repeatable: what needs a socket, a process or a Nest application is tested in `test`.',
      severity: 'error',
      from: { path: '^(src|packages/[^/]+/src|test/unit)/.*\\.spec\\.ts$' },
      to: {
        path: '^(node:)?(net|http|https|tls|child_process|worker_threads)$|node_modules/@nestjs/(core|testing|platform-)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-development-dependencies-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
    {
      name: 'every-import-is-declared',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist(\\.next)?/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};

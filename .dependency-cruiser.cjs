/** Who may import whom. `npm run imports` checks it; a broken rule names its reason. */
const rooms = (...names) => `^src/(${names.join('|')})/`;

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Two files that import each other are one idea in two places.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'kernel-imports-nothing',
      comment: 'The shared words know nothing of the service, no framework and no I/O.',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/kernel/', dependencyTypesNot: ['core', 'type-only'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules work on facts: no framework, no I/O, nothing of the wire.',
      severity: 'error',
      from: { path: '^src/deal-sets/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/(deal-sets/domain|kernel)/' },
    },
    {
      name: 'dto-is-plain',
      comment:
        'Shapes of responses and DTOs of input are declarations, of values that the domain names; everything else derives from them.',
      severity: 'error',
      from: { path: '^src/deal-sets/dto/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/',
        pathNot: '^src/(deal-sets/(dto|domain)|redaction/field|kernel)',
      },
    },
    {
      name: 'redaction-is-general',
      comment: 'Decorators of fields and the interceptor serve the endpoints of any team.',
      severity: 'error',
      from: { path: '^src/redaction/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(redaction|kernel|http)/' },
    },
    {
      name: 'only-adapters-touch-the-database',
      comment: 'TypeORM and drivers stay in the rooms that adapt them.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: rooms('database', 'import', 'commands', 'rate-limit'),
      },
      to: {
        path: '(^|/)node_modules/(typeorm|pg|pg-copy-streams|ioredis)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'features-do-not-reach-into-each-other',
      comment:
        'A room of sign-in, rollout or limits is used through its guards, decorators and ports; the module puts all together.',
      severity: 'error',
      from: { path: rooms('deal-sets', 'openapi', 'health'), pathNot: 'deal-sets\\.module\\.ts$' },
      to: {
        path: rooms('auth', 'rollout', 'rate-limit'),
        pathNot:
          '(\\.(decorator|guard)|rate-limiter|(session|grant)-store|rate-limit-storage|rollout)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'mcp-uses-the-public-surface',
      comment:
        'MCP is built as a team would build it: on what src/index.ts exports, by the files that hold it.',
      severity: 'error',
      from: { path: '^src/mcp/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(mcp/|kernel/|config/settings\\.ts|deal-sets/(deal-sets.api|dto/responses)\\.ts|redaction/field(\\.decorators)?\\.ts|openapi/api-description\\.ts|http/(contract|endpoint\\.decorator|endpoint-policy|protected-resource\\.guard|request-context)\\.ts)',
      },
    },
    {
      name: 'only-the-standalone-application-loads-mcp',
      comment: 'Loaded at run time where it is on: elsewhere it costs neither memory nor time.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(mcp/|start-service\\.ts$)' },
      to: { path: '^src/mcp/' },
    },
    {
      name: 'nothing-flows-back-up',
      comment: 'The rooms below serve the feature and do not know it.',
      severity: 'error',
      from: {
        path: rooms(
          'config',
          'database',
          'http',
          'redaction',
          'auth',
          'rollout',
          'rate-limit',
          'observability',
        ),
        pathNot: '\\.spec\\.ts$',
      },
      to: {
        path: '^src/(deal-sets|openapi|import|commands|operations|app\\.module|start-service|index)',
      },
    },
    {
      name: 'client-has-no-dependencies',
      comment:
        'The client runs in browsers and edge runtimes: no packages, no Node modules, no service.',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'demo-builds-on-the-package',
      comment:
        'The demo is a team: of the service it imports what package.json exports, by that name; of this repository nothing else.',
      severity: 'error',
      from: { path: '^packages/demo/(src|web)/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(src|test|packages)/',
        pathNot:
          '^(packages/demo/|packages/client/|packages/embedded-postgres/src/index\\.ts$|src/(index|entities|operations)\\.ts$)',
      },
    },
    {
      name: 'service-does-not-import-packages',
      comment: 'The packages depend on the service or on its API, never the other way round.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^packages/' },
    },
    {
      name: 'testing-builds-on-the-package',
      comment: 'The kit is for teams: it needs nothing that a team does not have.',
      severity: 'error',
      from: { path: '^packages/(testing|embedded-postgres)/src/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(src|test|packages)/',
        pathNot: '^(packages/(testing|embedded-postgres)/|src/(index|operations)\\.ts$)',
      },
    },
    {
      name: 'source-does-not-know-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
    {
      name: 'no-development-dependencies-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
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
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};

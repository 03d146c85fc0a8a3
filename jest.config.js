/**
 * Five projects run on each change: `unit` (pure rules, beside the code), `client` (the package
 * `@deal-sets/client` against real sockets), `e2e` (a real PostgreSQL and real sockets, mostly the
 * standalone service, which is on Fastify), `host-express` (the module in a host application) and
 * `host-fastify` (one suite of `host-express` on the other adapter). Four projects run on demand:
 * `model` (the feed's protocol in every order of its steps), `load` (speed and memory), `soak`
 * (suites that run for minutes) and `citus`.
 *
 * NestJS 12 and its packages are ES modules, which Jest's own module loader does not fully support.
 * swc therefore compiles every file, including dependencies, to CommonJS. The result is cached.
 */
const swc = [
  // `npm run test:mutants` plants a fault in the sources.
  process.env.PLANTED_FAULT
    ? '<rootDir>/test/mutants/fault-transform.cjs'
    : '<rootDir>/test/setup/shared-transform.cjs',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: true,
  },
];

const shared = {
  // One name, and so one folder, for the compiled files of all projects.
  id: 'deal-sets',
  rootDir: import.meta.dirname,
  runtime: '<rootDir>/test/setup/native-libraries-runtime.cjs',
  testEnvironment: '<rootDir>/test/setup/test-file-environment.cjs',
  transform: { '^.+\\.(t|j|mj)s$': swc },
  // Both are CommonJS already, in files of several megabytes.
  transformIgnorePatterns: ['/node_modules/(playwright-core|typescript)/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Jest loads each module again for every test file. These packages have a build of one file.
    '^es-toolkit/compat$': '<rootDir>/node_modules/es-toolkit/dist/browser.global.js',
    '^rxjs(/operators)?$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.min.js',
    // The packages import the service by its package name. In tests, it resolves to the sources.
    '^@deal-sets/service$': '<rootDir>/src/index',
    '^@deal-sets/service/mcp$': '<rootDir>/src/mcp',
    '^@deal-sets/service/entities$': '<rootDir>/src/entities',
    '^@deal-sets/service/operations$': '<rootDir>/src/operations',
    '^@deal-sets/service/standalone$': '<rootDir>/src/standalone',
    '^(@deal-sets/|#)embedded-postgres$': '<rootDir>/packages/embedded-postgres/src/index',
    '^@deal-sets/testing$': '<rootDir>/packages/testing/src/index',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/packages/[^/]+/dist/',
    '<rootDir>/.data/',
  ],
  setupFiles: ['reflect-metadata'],
};

const withServers = {
  ...shared,
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
};

/** The suites whose results can depend on the host application or on its HTTP adapter. */
const HOST_SUITES = [
  '<rootDir>/test/api/host*.spec.ts',
  '<rootDir>/test/api/deal-sets/responses.spec.ts',
  '<rootDir>/test/api/sign-in/sign-in.spec.ts',
  '<rootDir>/test/api/mcp/mcp.spec.ts',
];

/** All suites of the contract that apply to the module in any application. */
const ALL_HOST_SUITES = [
  ...HOST_SUITES,
  '<rootDir>/test/api/extension/texts.spec.ts',
  '<rootDir>/test/api/feed/polls.spec.ts',
  '<rootDir>/test/api/redaction/noninterference.spec.ts',
  '<rootDir>/test/api/redaction/withholding.spec.ts',
];

/** The suite that shows that a host application works on the other adapter, too. */
const SMOKE = ['<rootDir>/test/api/host.spec.ts'];

const hosted = (adapter, testMatch) => ({
  ...withServers,
  displayName: `host-${adapter}`,
  globals: { TEST_HOST: adapter },
  testMatch,
});

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,test/unit,packages/*/src}/**/*.spec.ts'],
    },
    {
      ...shared,
      displayName: 'client',
      testMatch: ['<rootDir>/packages/client/test/**/*.spec.ts'],
    },
    {
      ...withServers,
      displayName: 'e2e',
      testMatch: [
        '<rootDir>/test/{api/*,faults}/**/*.spec.ts',
        '<rootDir>/packages/{demo,embedded-postgres,mcp-app}/test/**/*.spec.ts',
      ],
    },
    // `npm run test:full` runs all suites on both adapters.
    hosted('express', process.env.ALL_HOST_SUITES ? ALL_HOST_SUITES : HOST_SUITES),
    hosted('fastify', process.env.ALL_HOST_SUITES ? ALL_HOST_SUITES : SMOKE),
    {
      ...shared,
      displayName: 'model',
      testMatch: ['<rootDir>/test/feed-model/**/*.spec.ts'],
    },
    {
      ...withServers,
      displayName: 'load',
      testMatch: ['<rootDir>/test/load/**/*.spec.ts'],
    },
    {
      ...withServers,
      displayName: 'soak',
      testMatch: ['<rootDir>/test/soak/**/*.spec.ts'],
    },
    {
      ...withServers,
      displayName: 'citus',
      testMatch: ['<rootDir>/test/citus/**/*.spec.ts'],
    },
  ],
  reporters: [
    `<rootDir>/test/setup/${process.stdout.isTTY ? 'terminal' : 'piped'}-reporter.cjs`,
    '<rootDir>/test/setup/run-report.cjs',
  ],
  testSequencer: '<rootDir>/test/setup/suites-first.cjs',
  // Long, because servers that a suite starts have their own limits, whose errors name the cause.
  testTimeout: 300_000,
  // One more than the two cores of the usual machine, because the suites of faults spend half of
  // their time waiting for servers and timers.
  maxWorkers: 3,
  // The heap of a worker grows with each file, and is measured between two files. At the end of a
  // run, Jest kills a worker that does not end within half a second and reports that tests leak.
  // Three workers that release more than a gigabyte each take longer than that on two cores.
  workerIdleMemoryLimit: '600MB',
};

/**
 * `npm test` runs three projects: `unit` (pure rules, beside the code), `api` (a real PostgreSQL and
 * real sockets; the suites that a planted fault of `test/mutants` names, and a smoke test each of
 * what has no such suite) and `host-express` (the module in a host application). `npm run check`
 * runs `checks` (documents and sources, as text), and `npm run test:full` all other suites. The
 * projects of `npm run test:release` are `model` (the feed's protocol in every order of its steps),
 * `load` (speed and memory) and `soak` (suites that run for minutes); `npm run test:citus` runs
 * `citus`.
 *
 * swc compiles the files of this repository to CommonJS, and the result is cached. Node itself
 * loads the libraries (`native-libraries-runtime.cjs`).
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
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
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
  setupFiles: [...shared.setupFiles, '<rootDir>/test/setup/long-limits.ts'],
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
};

/** Suites of the service that also hold for the module in a host application. */
const HOSTED_CONTRACT = [
  '<rootDir>/test/contract/**/*.spec.ts',
  '<rootDir>/test/api/feed/{changes,paging}.spec.ts',
  '<rootDir>/test/api/mcp/*.spec.ts',
  '<rootDir>/test/full/mcp/{courtesies,faults,view}.spec.ts',
  '<rootDir>/test/api/redaction/{noninterference,withholding}.spec.ts',
  '<rootDir>/test/api/sign-in/{authorization-header,order-of-checks,rate-limit,sessions,tokens}.spec.ts',
  '<rootDir>/test/full/extension/texts.spec.ts',
];

/** A project in which the module runs in a host application on this adapter. */
const hosted = (displayName, adapter, testMatch) => ({
  ...withServers,
  displayName,
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
      ...withServers,
      displayName: 'api',
      testMatch: [
        '<rootDir>/test/contract/**/*.spec.ts',
        '<rootDir>/test/api/!(host)/**/!(host-application).spec.ts',
      ],
    },
    hosted('host-express', 'express', [
      '<rootDir>/test/api/host/**/*.spec.ts',
      '<rootDir>/test/api/smoke/host-application.spec.ts',
    ]),
    {
      ...shared,
      displayName: 'checks',
      testMatch: ['<rootDir>/test/checks/**/*.spec.ts'],
    },
    {
      ...withServers,
      displayName: 'full',
      testMatch: [
        '<rootDir>/test/full/!(host)/**/*.spec.ts',
        '<rootDir>/packages/*/test/**/*.spec.ts',
      ],
    },
    hosted('full-express', 'express', [
      '<rootDir>/test/full/host/**/*.spec.ts',
      ...HOSTED_CONTRACT,
    ]),
    hosted('full-fastify', 'fastify', [
      '<rootDir>/test/{api,full}/host/**/*.spec.ts',
      '<rootDir>/test/api/smoke/host-application.spec.ts',
    ]),
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

/**
 * The test kit: contract suites for a host application's implementations of ports, for any test
 * runner, and the real service to run tests against. It is for tests only; the service does not
 * import it.
 */
export {
  EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
} from '#embedded-postgres';
export type { ContractTest } from './contract-test.js';
export * from './grant-store.contract.js';
export { startHungServer, type HungFixture, type HungProvider } from './hung-provider.js';
export { KeyServer } from './key-server.js';
export { load } from './load.js';
export * from './custom-field.contract.js';
export * from './rate-limit-storage.contract.js';
export * from './records.js';
export * from './redaction-rule.contract.js';
export * from './rollout.contract.js';
export { sampleWorld, type SampleWorld } from './sample-world.js';
export * from './session-store.contract.js';
export * from './test-issuer.js';
export { startTestService, type TestService, type TestServiceOptions } from './test-service.js';
export * from './display-texts.contract.js';
export type { ImportRecord } from '@deal-sets/service/operations';

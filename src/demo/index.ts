/**
 * The demo world, for the demo of this project and for trying out extensions. It is no part of what
 * docs/compatibility.md promises.
 */
export { failureText } from '../commands/failure-text.js';
export { demoTokenRequest, publishDemoIssuer, type DemoIssuer } from './demo-issuer.js';
export {
  demoGuide,
  demoTokens,
  type DemoGuide,
  type DemoToken,
  type DemoTokens,
} from './demo-guide.js';
export { DEMO_BUYER_ID, DEMO_CLIENTS, DEMO_SETS, OTHER_BUYER_ID } from './demo-people.js';
export { openDemo, type OpenDemo } from '../commands/open-demo.js';
export type { ImportRecord } from '../import/records/record-kinds.js';

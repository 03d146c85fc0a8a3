export * from '../../packages/testing/src/records.js';
export { load } from '../../packages/testing/src/load.js';
export { endingBeside } from './ending-beside.js';
export { insert } from './insert.js';
export { smallWorld } from './small-world.js';

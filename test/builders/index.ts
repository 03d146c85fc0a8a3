export * from './records.js';
export { load } from './load.js';
export { smallWorld } from './small-world.js';

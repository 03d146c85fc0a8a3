export * from './records.js';
export { insert } from './insert.js';
export { load } from './load.js';
export { smallWorld } from './small-world.js';

export * from './records.js';
export { load } from './load.js';

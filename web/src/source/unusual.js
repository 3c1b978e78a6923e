/** Code that opening and reading a file rarely needs, and that is loaded on demand. */
export { named } from '../inspect/foreign.js';
export * from './addresses.js';
export * from './beside.js';
export * from './redirects.js';
export { othersOf } from './references.js';
export * from './refusal.js';
export * from './validators.js';

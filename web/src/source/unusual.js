/** What reading a URL seldom takes, and is loaded then. */
export * from './addresses.js';
export * from './beside.js';
export * from './redirects.js';
export * from './refusal.js';
export * from './validators.js';

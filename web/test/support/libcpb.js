/** The package as it is entered on this runtime: `const { open } = libcpb;`. */
import { runtime } from './test.js';

/** @type {Record<string, string>} */
const entries = { node: 'node', deno: 'node', bun: 'node', workerd: 'workerd' };

export const libcpb = await import(`../../src/${entries[runtime] ?? 'index'}.js`);

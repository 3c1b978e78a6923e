/// <reference types="node" />
/**
 * Modules of Node, Deno and Bun. `import` of `node:fs` reads all that it exports, for which Node loads its streams; a
 * program that only reads files would pay as much for them as for this package.
 */
import { createRequire } from 'node:module';

const load = createRequire('/');

/** @type {typeof import('node:fs')} */
export const fs = load('node:fs');
/** @type {typeof import('node:path')} */
export const path = load('node:path');
/** @type {typeof import('node:url')} */
export const url = load('node:url');

/** @returns {typeof import('node:worker_threads')} */
export const threads = () => load('node:worker_threads');

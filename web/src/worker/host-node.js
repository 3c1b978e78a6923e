/** A worker thread of Node, Deno or Bun. */
import { parentPort } from 'node:worker_threads';
import { setUp } from '../init.js';
import { fileSource } from '../source/file.js';
import { serve } from './serve.js';

setUp(() => new Uint8Array(), fileSource);
serve(/** @type {any} */ (parentPort));

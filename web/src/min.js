/**
 * The entry for pages that import the package from a web server or a CDN as it is, without a bundler: one file with
 * all code, next to those of its modules and of its Worker.
 */
import { setUpAllParts } from './all-parts.js';
import { setUp, workerUrl } from './init.js';
import { moduleUrl } from './module-urls.js';
import { startAt } from './worker/connected-worker.js';
import { inspectIn, openIn } from './worker/page.js';

setUp(moduleUrl);
setUpAllParts();

const start = () => startAt(workerUrl ?? new URL('./host.js', import.meta.url));

export * from './full-api.js';

/** @type {typeof import('./worker/browser.js').openInWorker} */
export const openInWorker = (input, options) => openIn(start, input, options);

/** @type {typeof import('./worker/browser.js').inspectInWorker} */
export const inspectInWorker = (input, options) => inspectIn(start, input, options);

/**
 * The entry for pages that import the package from a web server or a CDN as it is, without a bundler: one file with
 * all code, beside those of its modules and of its Worker.
 */
import { setUpAllParts } from './all-parts.js';
import { setUp } from './init.js';
import { moduleUrl } from './module-urls.js';
import { inspectIn, openIn } from './worker/page.js';

setUp(moduleUrl);
setUpAllParts();

/** A Worker of another origin cannot be started, but one may import what is there. */
function start() {
  const host = new URL('./host.js', import.meta.url);
  if (host.origin === location.origin) return new Worker(host, { type: 'module' });
  const text = `import ${JSON.stringify(host.href)};`;
  const script = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(script, { type: 'module' });
  setTimeout(() => URL.revokeObjectURL(script), 60_000);
  return worker;
}

export * from './full-api.js';

/** @type {typeof import('./worker/browser.js').openInWorker} */
export const openInWorker = (input, options) => openIn(start, input, options);

/** @type {typeof import('./worker/browser.js').inspectInWorker} */
export const inspectInWorker = (input, options) => inspectIn(start, input, options);

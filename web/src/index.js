/** The entry for browsers and their bundlers, which copy the modules that it names. */
import { compiled, setModules } from './modules.js';
import { setUpParts } from './parts.js';
import { urlLater } from './source/first-url.js';
import { inputLater, layeredLater } from './source/later.js';
import { once } from './waiting.js';

/** @import { Kind } from './modules.js' */

const layers = once(() => import('./source/layers.js'));

// Most begin with the reader; the other addresses are loaded on demand.
const urlOf = async (/** @type {Kind} */ kind) =>
  kind === 'reader'
    ? new URL('./wasm/reader.wasm', import.meta.url)
    : (await import('./module-urls.js')).moduleUrl(kind);

setModules(async (kind) => compiled(await fetch(await urlOf(kind))));
setUpParts({
  inputs: inputLater(() => import('./source/other.js')),
  urls: urlLater(layers),
  layered: layeredLater(layers),
  fields: once(() => import('./reader/paged-fields.js')),
  guessing: once(() => import('./reader/guessing.js')),
  reading: once(() => import('./reading.js')),
  unusual: once(() => import('./source/unusual.js')),
});

export * from './api.js';
export * from './lazy-api.js';

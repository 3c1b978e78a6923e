/** The entry for browsers and their bundlers, which copy the modules that it names. */
import { setUp } from './init.js';
import { moduleUrl } from './module-urls.js';
import { setUpParts } from './parts.js';
import { inputLater, layeredLater } from './source/later.js';

/**
 * What is loaded once: all that wait for it go on at one time, and what they ask for is joined.
 *
 * @template T
 * @param {() => Promise<T>} load
 * @returns {() => Promise<T>}
 */
function once(load) {
  /** @type {Promise<T> | undefined} */
  let loading;
  return () =>
    (loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    }));
}

setUp(moduleUrl);
setUpParts({
  inputs: inputLater(() => import('./source/other.js')),
  layered: layeredLater(() => import('./source/layers.js')),
  fields: once(() => import('./reader/paged-fields.js')),
  guessing: once(() => import('./reader/guessing.js')),
  foreign: once(() => import('./inspect/foreign.js')),
  reading: once(() => import('./reading.js')),
  references: once(() => import('./source/references.js')),
  unusual: once(() => import('./source/unusual.js')),
  dictionary: once(() => import('./wasm/dictionary.js')),
});

export * from './api.js';
export * from './lazy-api.js';

/** The entry for browsers and their bundlers, which copy the modules that it names. */
import { setUp } from './init.js';
import { moduleUrl } from './module-urls.js';
import { setUpParts } from './parts.js';
import { inputLater, layeredLater } from './source/later.js';

setUp(moduleUrl);
setUpParts({
  inputs: inputLater(() => import('./source/other.js')),
  layered: layeredLater(() => import('./source/layers.js')),
  fields: () => import('./reader/paged-fields.js'),
  guessing: () => import('./reader/guessing.js'),
  foreign: () => import('./inspect/foreign.js'),
  reading: () => import('./reading.js'),
  references: () => import('./source/references.js'),
  unusual: () => import('./source/unusual.js'),
  dictionary: () => import('./wasm/dictionary.js'),
});

export * from './api.js';
export * from './lazy-api.js';

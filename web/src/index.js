/** The entry for browsers and their bundlers, which copy the modules that it names. */
import { setUp } from './init.js';
import { moduleUrl } from './module-urls.js';
import { setUpParts } from './parts.js';
import { inputLater, layeredLater } from './source/later.js';

const reading = () => import('./reading.js');

setUp(moduleUrl);
setUpParts({
  inputs: inputLater(() => import('./source/other.js')),
  layered: layeredLater(reading),
  chunks: () => import('./reader/read-chunk.js'),
  fields: () => import('./reader/paged-fields.js'),
  guessing: () => import('./reader/guessing.js'),
  reading,
  references: () => import('./source/references.js'),
  unusual: () => import('./source/unusual.js'),
  dictionary: () => import('./wasm/dictionary.js'),
});

export * from './api.js';
export * from './lazy-api.js';

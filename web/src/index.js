/** The entry for browsers and their bundlers, which copy the modules that it names. */
import { setUp } from './init.js';
import { moduleUrl } from './module-urls.js';
import { setUpUnusual } from './source/exchange.js';
import { setUpInputs, setUpLayers, setUpReferences } from './source/index.js';
import { layeredLater } from './source/later.js';
import { lazySource } from './source/lazy-source.js';

setUp(moduleUrl);
setUpInputs((input, memory) =>
  lazySource({}, async () => (await import('./source/other.js')).otherSource(input, memory)),
);
setUpLayers(layeredLater(() => import('./source/layers.js')));
setUpReferences(() => import('./source/references.js'));
setUpUnusual(() => import('./source/unusual.js'));

export * from './api.js';
export * from './lazy-api.js';

/** The entry for browsers and their bundlers, which copy the modules that it names. */
import { hasSimd, setUp } from './init.js';
import { setUpInputs } from './source/index.js';
import { setUpRefusals } from './source/resource.js';
import { lazySource } from './source/lazy-source.js';

const modules = {
  reader: () => new URL('./wasm/reader.wasm', import.meta.url),
  'reader-simd': () => new URL('./wasm/reader-simd.wasm', import.meta.url),
  inspect: () => new URL('./wasm/inspect.wasm', import.meta.url),
  'inspect-simd': () => new URL('./wasm/inspect-simd.wasm', import.meta.url),
  json: () => new URL('./wasm/json.wasm', import.meta.url),
  full: () => new URL('./wasm/full.wasm', import.meta.url),
  'full-simd': () => new URL('./wasm/full-simd.wasm', import.meta.url),
};

setUp((kind) => modules[kind !== 'json' && hasSimd() ? /** @type {const} */ (`${kind}-simd`) : kind]());
setUpInputs((input, memory) =>
  lazySource({}, async () => (await import('./source/other.js')).otherSource(input, memory)),
);
setUpRefusals(async (...args) => (await import('./source/refusal.js')).refusal(...args));

export * from './api.js';
export * from './lazy-api.js';

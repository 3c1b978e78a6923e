/** Where the package's modules are, each in a form that bundlers find and copy. */
import { one, readerUrl } from './reader-url.js';

/** @import { Kind } from './modules.js' */

/** Without SIMD and, where that helps, with it. */
const modules = {
  full: () => [new URL('./wasm/full.wasm', import.meta.url), new URL('./wasm/full-simd.wasm', import.meta.url)],
  inspect: () => [
    new URL('./wasm/inspect.wasm', import.meta.url),
    new URL('./wasm/inspect-simd.wasm', import.meta.url),
  ],
  models: () => [new URL('./wasm/models.wasm', import.meta.url), new URL('./wasm/models-simd.wasm', import.meta.url)],
  json: () => [new URL('./wasm/json.wasm', import.meta.url)],
  numbers: () => [new URL('./wasm/numbers.wasm', import.meta.url)],
  dictionary: () => [new URL('./wasm/dictionary.wasm', import.meta.url)],
};

/** The one that this runtime can run. @param {Kind} kind */
export const moduleUrl = (kind) => (kind === 'reader' ? readerUrl() : one(modules[kind]()));

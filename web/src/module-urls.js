/** Where the package's modules are, in a form that bundlers find and copy. */

/** @import { Kind } from './modules.js' */

const urls = {
  reader: () => new URL('./wasm/reader.wasm', import.meta.url),
  full: () => new URL('./wasm/full.wasm', import.meta.url),
  inspect: () => new URL('./wasm/inspect.wasm', import.meta.url),
  models: () => new URL('./wasm/models.wasm', import.meta.url),
  json: () => new URL('./wasm/json.wasm', import.meta.url),
  numbers: () => new URL('./wasm/numbers.wasm', import.meta.url),
  dictionary: () => new URL('./wasm/dictionary.wasm', import.meta.url),
};

/** @param {Kind} kind */
export const moduleUrl = (kind) => urls[kind]();

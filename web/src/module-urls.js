/** Where the package's modules are, each in a form that bundlers find and copy. */
import { hasSimd } from './init.js';

/** @import { Kind } from './init.js' */

/** Without SIMD and, where that helps, with it. */
const modules = {
  reader: () => [new URL('./wasm/reader.wasm', import.meta.url), new URL('./wasm/reader-simd.wasm', import.meta.url)],
  full: () => [new URL('./wasm/full.wasm', import.meta.url), new URL('./wasm/full-simd.wasm', import.meta.url)],
  inspect: () => [
    new URL('./wasm/inspect.wasm', import.meta.url),
    new URL('./wasm/inspect-simd.wasm', import.meta.url),
  ],
  models: () => [new URL('./wasm/models.wasm', import.meta.url), new URL('./wasm/models-simd.wasm', import.meta.url)],
  json: () => [new URL('./wasm/json.wasm', import.meta.url)],
  dictionary: () => [new URL('./wasm/dictionary.wasm', import.meta.url)],
};

/** The one that this runtime can run. @param {Kind} kind */
export function moduleUrl(kind) {
  const [plain, simd = plain] = modules[kind]();
  return /** @type {URL} */ (hasSimd() ? simd : plain);
}

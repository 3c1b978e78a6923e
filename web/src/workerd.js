/** The entry for Workers, where modules are imported and not compiled. */
// @ts-ignore
import dictionary from './wasm/dictionary.wasm';
// @ts-ignore
import reader from './wasm/reader.wasm';
import { setUpImported } from './all-parts.js';

setUpImported(reader, dictionary);

export * from './full-api.js';
export { inspectInWorker, openInWorker } from './worker/workerd.js';

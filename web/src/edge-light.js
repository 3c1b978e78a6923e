/** The entry for the Edge runtime of Next.js: as workerd.js, but its bundlers know compiled modules by `?module`. */
// @ts-ignore
import dictionary from './wasm/dictionary.wasm?module';
// @ts-ignore
import reader from './wasm/reader.wasm?module';
import { setUpImported } from './all-parts.js';

setUpImported(reader, dictionary);

export * from './full-api.js';
export { inspectInWorker, openInWorker } from './worker/workerd.js';

/** The entry for Node, Deno and Bun. */
import { setUpAllParts } from './all-parts.js';
import { setUp } from './init.js';
import { moduleUrl } from './module-urls.js';
import { fileInput, fileSource } from './source/file.js';
import { fs } from './source/node.js';
import * as files from './writer/file-sink.js';
import { setUpFiles } from './writer/sinks.js';

/** @param {string | URL} input */
async function read(input) {
  const text = String(input);
  if (/^(https?|data|blob):/i.test(text)) return fetch(text);
  return fs.promises.readFile(text.startsWith('file:') ? new URL(text) : text);
}

setUp((kind) => fs.readFileSync(moduleUrl(kind)), fileSource, read);
setUpAllParts(fileInput);
setUpFiles(files);

export { fileSource };
export * from './full-api.js';
export { inspectInWorker, openInWorker } from './worker/node.js';

/**
 * The entry that is one file: all code of the package, with the modules for reading, and with the
 * code of the Worker that openInWorker() and inspectInWorker() start.
 */
import { readFileSync } from 'node:fs';
import { licence, oneFile } from './bundle.js';

/** Where the tables of operators are, which are loaded when they are needed. */
const OPERATORS = './operators/';

// Bundlers take `new URL(name, import.meta.url)` for a file to be copied, hence `here`.
const entry = `
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { fromBase64 } from './bytes.js';
import { setUpAllParts } from './all-parts.js';
import { inspectIn, openIn } from './worker/page.js';

const here = import.meta.url;

setUpAllParts();
setUp(async (kind) => {
  if (kind === 'reader') return fromBase64(READER);
  if (kind === 'dictionary') return fromBase64(DICTIONARY);
  const url = new URL('./wasm/' + kind + '.wasm', here);
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok) return response;
  throw new CpbError('USAGE', 'call init({ ' + kind + ' }) with ' + kind + '.wasm first; there is none at ' + url);
});

function start() {
  if (!globalThis.Worker) throw new CpbError('UNSUPPORTED', 'there are no Workers of the web here');
  // What is beside this file is not beside a Blob.
  const beside = /^(https?|file):/.test(here) ? new URL(OPERATORS, here).href : OPERATORS;
  const text = WORKER.replaceAll(OPERATORS, beside);
  const script = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(script, { type: 'module' });
  setTimeout(() => URL.revokeObjectURL(script), 60_000);
  return worker;
}

export const openInWorker = (input, options) => openIn(start, input, options);
export const inspectInWorker = (input, options) => inspectIn(start, input, options);
export * from './full-api.js';
`;

/**
 * @param {string} sources the folder of the package's sources
 * @param {string} modules the folder of the modules
 */
export async function inline(sources, modules) {
  const module = (/** @type {string} */ name) =>
    JSON.stringify(readFileSync(`${modules}/${name}.wasm`).toString('base64'));
  const define = {
    READER: module('reader'),
    DICTIONARY: module('dictionary'),
    WORKER: JSON.stringify(await oneFile(sources, "import { serve } from './worker/serve.js'; serve(globalThis);")),
    OPERATORS: JSON.stringify(OPERATORS),
  };
  return `${licence}\n${await oneFile(sources, entry, define)}`;
}

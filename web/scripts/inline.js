/**
 * The entry that is one file: all code of the package, with the modules for reading, and with the
 * code of the Worker that openInWorker() and inspectInWorker() start.
 */
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';

/** What is loaded when it is needed, from beside the file. */
const OPERATORS = './inspect/operators/';

/** @type {import('esbuild').Plugin} */
const operatorsApart = {
  name: 'operators apart',
  setup: (one) =>
    one.onResolve({ filter: /^\.\/operators\/\w+\.js$/ }, ({ path }) => ({
      path: path.replace('./operators/', OPERATORS),
      external: true,
    })),
};

/**
 * @param {string} contents of a module in the folder `dist`
 * @param {string} dist
 * @param {Record<string, string>} [define]
 * @returns {Promise<string>} with all that it imports
 */
async function bundled(contents, dist, define) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    define,
    plugins: [operatorsApart],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return /** @type {{ text: string }} */ (outputFiles[0]).text;
}

// Bundlers take `new URL(name, import.meta.url)` for a file to be copied, hence `here`.
const entry = `
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { fromBase64 } from './bytes.js';
import { setUpUnusual } from './source/exchange.js';
import { setUpInputs, setUpReferences } from './source/index.js';
import { otherSource } from './source/other.js';
import * as references from './source/references.js';
import * as unusual from './source/unusual.js';
import { inspectIn, openIn } from './worker/page.js';

const here = import.meta.url;

setUpInputs(otherSource);
setUpReferences(() => references);
setUpUnusual(() => unusual);
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
 * @param {string} dist the folder of the package's sources
 * @param {string} modules the folder of the modules
 */
export async function inline(dist, modules) {
  const module = (/** @type {string} */ name) =>
    JSON.stringify(readFileSync(`${modules}/${name}.wasm`).toString('base64'));
  const define = {
    READER: module('reader'),
    DICTIONARY: module('dictionary'),
    WORKER: JSON.stringify(await bundled("import './worker/host.js';", dist)),
    OPERATORS: JSON.stringify(OPERATORS),
  };
  return `/*! libcpb, Apache-2.0; licences of what the module contains: licences/ of the package */\n${await bundled(entry, dist, define)}`;
}

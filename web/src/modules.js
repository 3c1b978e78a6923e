/** The WebAssembly modules, each compiled on demand. */
import { asCpbError, CpbError } from './errors.js';

/** @typedef {'reader' | 'full' | 'inspect' | 'models' | 'json' | 'numbers' | 'dictionary'} Kind */
/** @typedef {((path: string) => import('./types.js').Source) | undefined} OpenPath */

/** Modules that are loaded or being loaded. @type {Partial<Record<Kind, Promise<WebAssembly.Module>>>} */
export const modules = {};

/** @type {(kind: Kind) => WebAssembly.Module | Promise<WebAssembly.Module>} */
let provide = (kind) => {
  throw new CpbError('USAGE', `call init() with ${kind}.wasm first`);
};

/** Opens a string that is not a URL, in runtimes with files. @type {OpenPath} */
export let openPath;

/** Sets where modules and files come from. @param {typeof provide} given @param {OpenPath} [files] */
export function setModules(given, files = openPath) {
  provide = given;
  openPath = files;
}

/** @param {Kind} [kind] @returns {Promise<WebAssembly.Module>} */
export const moduleFor = async (kind = 'reader') => (modules[kind] ??= load(kind, () => provide(kind)));

/** Errors of fetch and WebAssembly. @type {Record<string, import('./errors.js').Code>} */
const thrown = { CompileError: 'FORMAT', TypeError: 'NETWORK' };

/**
 * After a failure, the next call tries again, unless another init() came in between.
 *
 * @param {Kind} kind @param {() => WebAssembly.Module | Promise<WebAssembly.Module>} find
 */
export function load(kind, find) {
  const loading = (async () => find())().catch((error) => {
    if (modules[kind] === loading) delete modules[kind];
    throw asCpbError(error, `${kind}.wasm`, thrown[error?.name]);
  });
  return loading;
}

/** @param {Response} response */
export async function compiled(response) {
  const { ok, url, status, headers } = response;
  if (!ok) throw new CpbError('HTTP', `${url}: ${status}`, { status });
  const streams = 'compileStreaming' in WebAssembly && headers.get('Content-Type') === 'application/wasm';
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

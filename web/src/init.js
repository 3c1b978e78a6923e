/** Decides which WebAssembly modules are used. */
import { isBytes } from './collector.js';
import { CpbError } from './errors.js';
import { compiled, load, moduleFor, modules, openPath, setModules } from './modules.js';

/** @import { Kind, OpenPath } from './modules.js' */

/**
 * A WebAssembly module, or where it comes from.
 * @typedef {WebAssembly.Module | BufferSource | URL | string | Response} ModuleInput
 */

const kinds = ['reader', 'full', 'inspect', 'models', 'json', 'numbers', 'dictionary'];

/**
 * The modules of the package, each compiled or as the place to load it from.
 * @typedef {object} Modules
 * @property {ModuleInput} [reader]
 * @property {ModuleInput} [full] also writes; replaces `reader` if that is missing
 * @property {ModuleInput} [inspect] inspects models of most kinds
 * @property {ModuleInput} [models] replaces `inspect` if that is missing, and does the rest: Core ML, SameDiff, zip
 *   archives, models in text format, `diff`, `cut` and `nodesToLoad`
 * @property {ModuleInput} [json] makes JSON for `inspect`, which cannot
 * @property {ModuleInput} [numbers] statistics of arrays, and real values of quantized ones
 * @property {ModuleInput} [dictionary] Brotli's dictionary, which `reader`, `inspect` and `models` need for files
 *   compressed with Brotli
 * @property {URL | string} [worker] the URL of `libcpb/worker`, the script of a Worker, if a bundler has moved it
 */

/** The URL of a Worker's script, if one was given. @type {URL | string | undefined} */
export let workerUrl;

/** @type {(url: string | URL) => Promise<Response | BufferSource>} */
let fetchModule = (url) => fetch(url);

/**
 * Called by each entry of the package: sets where its modules and files come from.
 *
 * @param {(kind: Kind) => ModuleInput | Promise<ModuleInput>} from
 * @param {OpenPath} [files]
 * @param {typeof fetchModule} [read] reads a URL or path
 */
export function setUp(from, files = openPath, read = fetchModule) {
  setModules(async (kind) => compile(await from(kind)), files);
  fetchModule = read;
}

/**
 * Sets the module, for environments where the package cannot find it by itself. Elsewhere this is not needed: modules
 * are loaded on demand. It applies to files opened afterwards.
 *
 * @param {ModuleInput | Modules} input a compiled module, its bytes, its URL or a Response
 * @returns {Promise<void>} once it is compiled
 */
export async function init(input) {
  const isPair = input?.constructor === Object;
  const { worker, ...given } = /** @type {Modules} */ (isPair ? input : { reader: input });
  workerUrl = worker ?? workerUrl;
  for (const kind of /** @type {Kind[]} */ (Object.keys(given))) {
    if (!kinds.includes(kind)) throw new CpbError('USAGE', `no module ${kind}; there are ${kinds}, worker`);
    const module = given[kind];
    if (module !== undefined || !isPair) modules[kind] = load(kind, () => compile(/** @type {ModuleInput} */ (module)));
  }
  if (!isPair) modules.full = load('full', moduleFor);
  else if (given.full && !given.reader) modules.reader = load('reader', () => moduleFor('full'));
  if (given.models && !given.inspect) modules.inspect = load('inspect', () => moduleFor('models'));
  await Promise.all(Object.values(modules));
}

/** @param {ModuleInput} input @returns {Promise<WebAssembly.Module>} */
async function compile(input) {
  // Also one of another realm, as in Next.js's Edge runtime.
  if (/** @type {any} */ (input)?.[Symbol.toStringTag] === 'WebAssembly.Module')
    return /** @type {WebAssembly.Module} */ (input);
  if (input instanceof URL || typeof input === 'string') return compile(await fetchModule(input));
  if (Object(input) !== input) throw new CpbError('USAGE', `no module: ${input}`);
  // Bytes first: asking Node for `Response` loads all of its HTTP.
  if (isBytes(input) || !(input instanceof Response)) return WebAssembly.compile(/** @type {BufferSource} */ (input));
  return compiled(input);
}

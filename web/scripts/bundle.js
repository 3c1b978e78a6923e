/**
 * Bundles each entry of the package into one file, with everything that it needs at once: a module of a hundred files
 * takes a runtime much longer to load. The entry for browsers has later parts in separate files. All files are in one
 * folder, next to those of `wasm` and `operators`.
 */
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const licence = '/*! libcpb, Apache-2.0; licences of what its modules contain: licences/ of the package */';

/** Workers that are started by their file's name, so that the names of their sources must lead there. */
const hosts = { host: 'worker/host.js', 'host-node': 'worker/host-node.js' };

/** Modules, tables of operators and built-in modules of the runtime stay imports.
 * @type {import('esbuild').Plugin} */
const apart = {
  name: 'apart',
  setup: (one) =>
    one.onResolve({ filter: /\.wasm(\?module)?$|^\.\/operators\/\w+\.js$|^node:/ }, ({ path }) => ({
      path,
      external: true,
    })),
};

/** The sources that the entry for browsers needs at once, besides the functions that import the rest. */
const AT_ONCE = ['errors.js', 'reader/open.js', 'source/first-url.js', 'source/later.js'];

/** The sources that most later parts share: one file instead of many small ones. */
const SHARED = ['bytes.js', 'module-urls.js', 'middleware/join.js', 'middleware/layer.js', 'source/pieces.js'];

/** The sources that all later readers share. */
const READING = ['reading.js', 'reader/other-file.js'];

/** The sources that are loaded before this one is imported, by its name. @param {string} name */
function before(name) {
  const reads = /^(reading\.js|(inspect|reader|writer)\/.*|source\/layers\.js)$/.test(name);
  const isPart = name.startsWith('inspect/') && name !== 'inspect/inspect.js';
  return [
    ...AT_ONCE,
    ...(name === 'options.js' ? [] : SHARED),
    ...(reads ? READING : []),
    ...(isPart ? ['inspect/inspect.js'] : []),
  ].filter((one) => one !== name);
}

/**
 * Makes a later import depend on everything that is loaded by then, which becomes one file; otherwise it would be many,
 * one for each combination of users.
 *
 * @param {string} folder
 * @param {string[]} later paths
 * @returns {import('esbuild').Plugin}
 */
const together = (folder, later) => ({
  name: 'together',
  setup: (one) =>
    one.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!later.includes(path)) return undefined;
      const there = before(path.slice(folder.length + 1));
      const more = there.map((name) => `import ${JSON.stringify(`${folder}/${name}`)};\n`).join('');
      return { contents: readFileSync(path, 'utf8') + more };
    }),
});

/** Comments that import types of files which no longer exist. */
const typed = /[ \t]*\/\*\*(?:(?!\*\/)[^])*\bimport\('[^]*?\*\/\s*?(?:\n|$)/gm;

/**
 * @param {string} folder of the sources
 * @param {import('esbuild').BuildOptions} options
 */
const bundled = (folder, options) =>
  build({
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    plugins: [apart],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    ...options,
  });

/**
 * Short names for shared or later parts: bundlers append their own hashes, and list the names that each part needs.
 *
 * @param {string} text of a file or its name
 * @param {string[]} names of all files
 */
const renamed = (text, names) => text.replace(/\bpart-[A-Z0-9]{8}\b/g, (name) => `part-${names.indexOf(name)}`);

/** @param {string} folder @param {import('esbuild').BuildOptions} options */
async function write(folder, options) {
  const { outputFiles = [] } = await bundled(folder, options);
  const names = outputFiles.map(({ path }) => basename(path, '.js')).sort();
  for (const { path, text } of outputFiles)
    writeFileSync(renamed(path, names), renamed(text.replace(typed, ''), names));
}

/**
 * The text of one file. Bundlers that find `new URL(name, import.meta.url)` in it copy what it names.
 *
 * @param {string} folder
 * @param {string} contents of a module in it
 * @param {Record<string, string>} [define]
 */
export async function oneFile(folder, contents, define) {
  const stdin = { contents, resolveDir: folder };
  const { outputFiles } = await bundled(folder, { stdin, minify: true, define });
  return `${outputFiles?.[0]?.text ?? ''}`;
}

/**
 * The entry for browsers.
 *
 * @param {string} folder of the sources
 * @param {string} outdir
 */
async function parts(folder, outdir) {
  const options = { entryPoints: ['index.js'], outdir, splitting: true, chunkNames: 'part-[hash]' };
  const { metafile } = await bundled(folder, { ...options, metafile: true });
  const later = Object.values(metafile?.inputs ?? {})
    .flatMap(({ imports }) => imports)
    .filter(({ kind, external }) => kind === 'dynamic-import' && !external)
    .map(({ path }) => resolve(folder, path));
  // No module has side effects.
  const logOverride = /** @type {const} */ ({ 'ignored-bare-import': 'silent' });
  await write(folder, { ...options, plugins: [apart, together(folder, later)], logOverride });
}

/**
 * @param {string} folder of the sources
 * @param {string} outdir
 */
export async function bundle(folder, outdir) {
  mkdirSync(outdir, { recursive: true });
  const single = ['node', 'workerd', 'edge-light', 'react-native'].map((name) => [name, `${name}.js`]);
  const entries = [...single, ...Object.entries(hosts)];
  await Promise.all([
    ...entries.map(([name = '', path = '']) => write(folder, { entryPoints: { [name]: path }, outdir })),
    parts(folder, outdir),
    write(folder, { entryPoints: { 'libcpb.min': 'min.js' }, outdir, minify: true, banner: { js: licence } }),
  ]);
}

export { licence };

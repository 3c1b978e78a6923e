/**
 * How much JavaScript a page loads: the main entry as a bundler makes it of the published
 * files, minified and compressed with Brotli. What is imported only when it is used is
 * counted apart, as what it adds.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { load, tool } from './package/project.js';
import { assert, test } from './support/test.js';

const LIMIT = 15_800;

/** What each entry of the table is made of, from the package's folder. */
const entries = {
  'all that is exported': "export * from './dist/index.js'",
  'open() alone': "export { open } from './dist/index.js'",
};

/** What is loaded when it is first used. @type {Record<string, string>} */
const later = {
  'the message: fields, merged(), plan()': 'reader/message-content.js',
  'openRecords()': 'reader/records.js',
  'openInWorker()': 'worker/browser.js',
  'split(), merge(), repack()': 'writer/index.js',
  'inspect(), diff()': 'inspect/index.js',
  'bucketSource()': 'source/bucket.js',
  'streams and handles of files': 'source/other.js',
  's3Source()': 'source/s3.js',
  'persist()': 'middleware/persist.js',
  'options that are given': 'options.js',
  'URLs and servers that are unusual': 'source/unusual.js',
  'chunks in other files': 'source/references.js',
};

const skip = existsSync(tool('esbuild')) ? false : 'not installed: run web/test/setup.sh';

/** @param {Uint8Array} bytes */
const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** The package without its modules, which no bundle has in it. */
function packageFolder() {
  const web = new URL('..', import.meta.url).pathname;
  const folder = mkdtempSync(join(tmpdir(), 'cpb-size-'));
  cpSync(`${web}package.json`, `${folder}/package.json`);
  cpSync(`${web}src`, `${folder}/dist`, {
    recursive: true,
    filter: (name) => !name.endsWith('.wasm'),
  });
  return folder;
}

/**
 * One bundle of what is imported at once.
 *
 * @param {string} folder
 * @param {string} contents
 */
async function bundled(folder, contents) {
  const { default: esbuild } = await load('esbuild');
  /** @type {Set<string>} */
  const imported = new Set();
  const apart = {
    name: 'imported later',
    setup: (/** @type {any} */ build) =>
      build.onResolve({ filter: /./ }, (/** @type {any} */ { kind, path }) => {
        if (kind !== 'dynamic-import') return undefined;
        imported.add(path);
        return { path, external: true };
      }),
  };
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: folder,
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: 'out',
    write: false,
    metafile: true,
    plugins: [apart],
  });
  const [{ contents: bytes }] = outputFiles;
  const [{ inputs }] = /** @type {any[]} */ (Object.values(metafile.outputs));
  return { bytes, inputs, imported: [...imported] };
}

/** Modules by what they take of a bundle. @param {Record<string, any>} inputs */
const byModule = (inputs) =>
  Object.entries(inputs)
    .map(([path, { bytesInOutput }]) => ({ module: path.replace('dist/', ''), bytesInOutput }))
    .filter(({ bytesInOutput }) => bytesInOutput > 0)
    .sort((a, b) => b.bytesInOutput - a.bytesInOutput);

test(`the main entry is at most ${LIMIT} bytes of JavaScript`, { skip }, async () => {
  const folder = packageFolder();
  try {
    /** @type {Record<string, { minified: number, brotli: number }>} */
    const sizes = {};
    /** @param {string} name @param {string} contents @param {number} [less] */
    const measure = async (name, contents, less = 0) => {
      const bundle = await bundled(folder, contents);
      sizes[name] = { minified: bundle.bytes.length, brotli: brotli(bundle.bytes) - less };
      return bundle;
    };
    const main = entries['all that is exported'];
    const { inputs, imported } = await measure('all that is exported', main);
    await measure('open() alone', entries['open() alone']);
    const all = Number(sizes['all that is exported']?.brotli);
    for (const [name, path] of Object.entries(later)) {
      await measure(`+ ${name}`, `${main}; export * as later from './dist/${path}'`, all);
    }
    console.table(byModule(inputs));
    console.table(sizes);
    assert.deepEqual(
      imported.sort(),
      Object.values(later)
        .map((path) => `./${path}`)
        .sort(),
    );
    assert.ok(all <= LIMIT, `${all} bytes`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('openInWorker() starts one that loads all at once, but for tables', { skip }, async () => {
  const folder = packageFolder();
  try {
    const { imported } = await bundled(folder, "import './dist/worker/host.js'");
    assert.deepEqual(imported, ['./operators/onnx.js', './operators/tensorflow.js']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

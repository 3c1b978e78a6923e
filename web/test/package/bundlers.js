/**
 * The page built with each bundler as its users do; what each needs beside its
 * defaults is here to be read, and said in the package's README.
 */
import { writeFileSync } from 'node:fs';
import { load } from './project.js';

/** @typedef {(app: string) => Promise<unknown>} Build into the folder that has its name */

/** @type {Record<string, Build>} */
export const bundlers = {
  /** The modules are found and copied. */
  async vite(root) {
    const { build } = await load('vite');
    const outDir = 'out/vite';
    await build({
      root,
      base: './',
      configFile: false,
      logLevel: 'error',
      build: { outDir, target: 'es2022' },
    });
  },

  /** The modules are found and copied. */
  async webpack(context) {
    const { default: webpack } = await load('webpack');
    const compiler = webpack({
      context,
      mode: 'production',
      entry: './main.js',
      output: { path: `${context}/out/webpack`, filename: 'main.js' },
      experiments: { topLevelAwait: true },
      performance: { hints: false },
    });
    const stats = await new Promise((resolve, reject) => {
      compiler.run((/** @type {any} */ error, /** @type {any} */ done) => (error ? reject(error) : resolve(done)));
    });
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
    page(`${context}/out/webpack`);
  },

  /** A plugin finds and copies the modules. */
  async rollup(root) {
    const { rollup } = await load('rollup');
    const { default: resolve } = await load('@rollup/plugin-node-resolve');
    const { importMetaAssets } = await load('@web/rollup-plugin-import-meta-assets');
    const bundle = await rollup({
      input: `${root}/main.js`,
      plugins: [resolve({ browser: true }), importMetaAssets()],
      onwarn(/** @type {Error} */ warning) {
        throw new Error(warning.message);
      },
    });
    await bundle.write({ dir: `${root}/out/rollup`, format: 'es' });
    page(`${root}/out/rollup`);
  },

  /** The page imports the module, which the loader `file` copies, and gives it to `init`. */
  async esbuild(root) {
    const { default: esbuild } = await load('esbuild');
    await esbuild.build({ ...forBrowsers(root, 'named', 'esbuild'), loader: { '.wasm': 'file' } });
    page(`${root}/out/esbuild`);
  },

  /** The module is in the script: nothing is needed. */
  async inline(root) {
    const { default: esbuild } = await load('esbuild');
    await esbuild.build(forBrowsers(root, 'inline', 'inline'));
    page(`${root}/out/inline`);
  },
};

/** @param {string} root @param {string} entry @param {string} name */
const forBrowsers = (root, entry, name) => ({
  entryPoints: { main: `${root}/${entry}.js` },
  outdir: `${root}/out/${name}`,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'error',
});

/** @param {string} folder */
function page(folder) {
  const html = '<!doctype html><script type="module" src="./main.js"></script>';
  writeFileSync(`${folder}/index.html`, html);
}

/**
 * Vite's server for development, which leaves packages with files of their own alone
 * if it is told so.
 *
 * @param {string} root
 */
export async function startVite(root) {
  const { createServer } = await load('vite');
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    cacheDir: `${root}/.vite`,
    optimizeDeps: { exclude: ['libcpb'] },
    server: { host: '127.0.0.1', port: 0, watch: null, hmr: false },
  });
  await server.listen();
  return {
    url: `http://127.0.0.1:${server.httpServer.address().port}/index.html`,
    close: () => server.close(),
  };
}

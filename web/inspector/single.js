/**
 * The page as one HTML file, which also works from a disk: scripts, styles, workers and the
 * WebAssembly modules are all in it.
 */
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { unused } from './left-out.js';
import { shortTemplates } from './short-templates.js';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** Its workers, by the names that the page starts them by. @type {Record<string, string>} */
const workers = {
  'model-worker': here('src/model/worker.js'),
  'layout-worker': here('src/layout-worker.js'),
};

/** @param {Uint8Array | string} content */
const hash = (content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

/** @param {string} entry @param {Record<string, string>} alias @param {import('esbuild').Plugin[]} [plugins] */
async function bundled(entry, alias, plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    minify: true,
    alias,
    plugins: [...plugins, unused, shortTemplates],
    legalComments: 'inline',
    logOverride: { 'empty-import-meta': 'silent' }, // files next to a module are in the single file
  });
  return outputFiles[0]?.text ?? '';
}

/** Replaces an import by another module, or by a generated one. @param {RegExp} filter @param {() => Promise<any>} load
 * @returns {import('esbuild').Plugin} */
const instead = (filter, load) => ({
  name: `instead of ${filter}`,
  setup(one) {
    one.onResolve({ filter }, ({ path }) => ({ path, namespace: String(filter) }));
    one.onLoad({ filter, namespace: String(filter) }, async () => ({ resolveDir: here('src'), ...(await load()) }));
  },
});

/**
 * @param {string} pack the package, web/dist
 * @param {Record<string, string>} alias where the page's imports of it lead
 * @returns {Promise<string>} the file
 */
export async function singleFile(pack, alias) {
  const packed = (/** @type {string} */ name) =>
    gzipSync(readFileSync(`${pack}/wasm/${name}`), { level: 9 }).toString('base64');
  const wasm = ['models.wasm', 'numbers.wasm', 'dictionary.wasm'].map((name) =>
    instead(new RegExp(`^${name}$`), async () => ({ contents: packed(name), loader: 'text' })),
  );
  const texts = await Promise.all(
    Object.entries(workers).map(async ([name, entry]) => [name, await bundled(entry, alias)]),
  );
  const page = await bundled(here('src/page.js'), alias, [
    ...wasm,
    instead(/^\.{1,2}\/start-worker\.js$/, async () => ({
      contents: readFileSync(here('src/single/start-worker.js')),
    })),
    instead(/^worker-texts$/, async () => ({ contents: JSON.stringify(Object.fromEntries(texts)), loader: 'json' })),
    // They are next to the page, if it has a server.
    instead(/^\.\/examples\.js$/, async () => ({ contents: 'export const examples = [];' })),
  ]);
  const script = page.replace(/<(?=\/script|!--)/gi, '\\x3C');
  const style = readFileSync(here('src/page.css'), 'utf8');
  const licences = readFileSync(here('../../LICENSE'), 'utf8').replace(/<(?=\/script|!--)/gi, '&lt;');
  const rules = `default-src 'none'; img-src data:; script-src ${hash(script)} 'wasm-unsafe-eval' blob:; style-src ${hash(style)}; connect-src * blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'`;
  const parts = [
    [/(?<=Content-Security-Policy"\s+content=")[^"]*/, rules],
    [/<link rel="stylesheet"[^>]*>/, `<style>${style}</style>`],
    [/<script type="module"[^>]*><\/script>\n/, ''],
    [/(?=<noscript>)/, `<script>${script}</script>\n`],
    [/(?=<\/html>)/, `<script type="text/plain" id="licences">\n${licences}</script>\n`],
  ];
  return parts.reduce(
    (text, [place, part]) => {
      if (!text.match(place)) throw new Error(`index.html has nothing that ${place} finds`);
      return text.replace(place, () => String(part));
    },
    readFileSync(here('src/index.html'), 'utf8'),
  );
}

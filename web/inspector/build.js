/**
 * node build.js [--package DIR] [OUTPUT]: the inspector as static files, by default in
 * build/inspector, from the package's sources, by default those in web/src. Any web server, and
 * file hosts such as object stores, can serve them. inspector.html among them is all of the page
 * in one file, which needs no server.
 */
import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { left, unused } from './left-out.js';
import { shortTemplates } from './short-templates.js';
import { singleFile } from './single.js';
import { examples } from './src/examples.js';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  options: { package: { type: 'string' } },
  allowPositionals: true,
});
// An alias other than an absolute path is a package's name.
const pack = resolve(values.package ?? here('../../build/package-sources'));
if (!values.package) {
  const make = ['--sources-only', here('../../build/web'), pack];
  execFileSync(process.execPath, [here('../scripts/dist.js'), ...make], { stdio: 'inherit' });
}
const output = positionals[0] ?? here('../../build/inspector');
/** The package, and parts that it does not export: its protocol between threads, its modules, addresses in archives. */
const folders = ['worker', 'inspect', 'wasm', 'source', 'middleware'];
const files = ['bytes.js', 'init.js', 'modules.js', 'module-urls.js', 'waiting.js'];
const alias = {
  libcpb: `${pack}/index.js`,
  ...Object.fromEntries([...folders, ...files].map((name) => [`libcpb/${name}`, `${pack}/${name}`])),
};

/** Modules that are loaded on demand. */
const loadedLater = left('loaded later', /^\.\/(operators\/\w+|arrays|compare-graphs)\.js$/);

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
await build({
  entryPoints: {
    page: here('src/page.js'),
    inspector: here('src/inspector.js'),
    'model-worker': here('src/model/worker.js'),
    'layout-worker': here('src/layout-worker.js'),
    arrays: here('src/model/arrays.js'),
    'compare-graphs': here('src/panels/compare-graphs.js'),
  },
  bundle: true, // each in one file: over a slow link, imports that are found step by step arrive late
  format: 'esm',
  target: 'es2022',
  minify: true,
  sourcemap: true,
  outdir: output,
  alias,
  plugins: [loadedLater, unused, shortTemplates],
  legalComments: 'linked',
});
for (const file of ['index.html', 'page.css', 'embedded.html', 'embedded.css'])
  copyFileSync(here(`src/${file}`), `${output}/${file}`);
// Most examples come out of an archive, which only builds with tests unpack.
if (!examples.every(({ from }) => existsSync(here(`../../${from}`))))
  execFileSync('python3', [here('../../tests/archives.py')]);
for (const { from, url } of examples) {
  mkdirSync(dirname(`${output}/${url}`), { recursive: true });
  copyFileSync(here(`../../${from}`), `${output}/${url}`);
}
cpSync(`${pack}/inspect/operators`, `${output}/operators`, {
  recursive: true,
  filter: (name) => !name.endsWith('.d.ts'),
});
cpSync(`${pack}/wasm`, `${output}/wasm`, {
  recursive: true,
  filter: (name) => !/\.(js|d\.ts)$/.test(name) && !/wasm\/(full|json|reader)/.test(name),
});
writeFileSync(`${output}/inspector.html`, await singleFile(pack, alias));
console.log(`${output}: built`);

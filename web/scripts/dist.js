/**
 * Makes web/dist, the published package: the entries, their types, the WebAssembly modules and the licences of the code
 * in them. With --sources-only, which needs no package from npm, it has the unchanged sources instead of bundles.
 *
 *     node scripts/dist.js [--sources-only] [folder of the modules: build/web] [output: web/dist]
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOperators } from './operators.js';

const web = new URL('..', import.meta.url);
const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, web));
const args = process.argv.slice(2);
const [modules = path('../build/web'), dist = path('dist')] = args
  .filter((arg) => arg !== '--sources-only')
  .map((arg) => resolve(arg));

const shipped = ['reader', 'full', 'inspect', 'models', 'json', 'numbers', 'dictionary'];

const licences = {
  libcpb: path('../LICENSE'),
  brotli: `${modules}/_sources/brotli/LICENSE`,
  nanopb: `${modules}/_sources/nanopb/LICENSE.txt`,
  yyjson: `${modules}/_sources/yyjson/LICENSE`,
  zlib: `${modules}/_sources/zlib/LICENSE`,
  zstd: `${modules}/_sources/zstd/LICENSE`,
};

/** @param {string} file @param {string} how it is made */
function need(file, how) {
  if (existsSync(file)) return;
  console.error(`${file} is missing: ${how}`);
  process.exit(1);
}

for (const name of shipped) need(`${modules}/${name}.wasm`, 'web/build.sh makes it');
if (!args.includes('--sources-only'))
  need(path('node_modules/.bin/tsc'), '`npm ci` in web/ installs it; --sources-only does without');

writeOperators();
rmSync(dist, { recursive: true, force: true });
mkdirSync(`${dist}/wasm`, { recursive: true });
for (const name of shipped) copyFileSync(`${modules}/${name}.wasm`, `${dist}/wasm/${name}.wasm`);
for (const [name, file] of Object.entries(licences)) cpSync(file, `${dist}/licences/${name}.txt`);
if (args.includes('--sources-only')) {
  const filter = (/** @type {string} */ name) => !/\.wasm$|\.gitignore$|README|\.d\.ts$/.test(name);
  cpSync(path('src'), dist, { recursive: true, filter });
} else {
  writeManual();
  await makeScripts();
  const { makeTypes } = await import('./types.js');
  await makeTypes(`${dist}/types`);
  if (dist === path('dist')) check(JSON.parse(readFileSync(path('package.json'), 'utf8')));
}

/** Removes links to files that are only in the repository. */
function writeManual() {
  const text = readFileSync(path('../docs/javascript.md'), 'utf8');
  writeFileSync(`${dist}/manual.md`, text.replace(/\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, '$1'));
}

async function makeScripts() {
  const { bundle } = await import('./bundle.js');
  const { inline } = await import('./inline.js');
  cpSync(path('src/inspect/operators'), `${dist}/operators`, { recursive: true });
  await bundle(path('src'), dist);
  writeFileSync(`${dist}/inline.js`, await inline(path('src'), modules));
}

/** Checks that all files named by package.json exist. @param {unknown} named */
function check(named) {
  if (typeof named === 'object') return Object.values(named ?? {}).forEach(check);
  if (!/^\.\/dist\/[^*$]+$/.test(String(named)) || existsSync(path(String(named)))) return;
  console.error(`package.json names ${named}, which was not made`);
  process.exit(1);
}

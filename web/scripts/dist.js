/**
 * Makes web/dist, which is what is published: the entries, their types, the WebAssembly modules
 * and the licences of what is in these. With --sources-only, which needs no package from npm, the
 * sources as they are instead of what is made of them.
 *
 *     node scripts/dist.js [--sources-only] [folder of the modules: build/web] [output: web/dist]
 */
import { execFileSync } from 'node:child_process';
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

const shipped = [
  'reader',
  'reader-simd',
  'reader-nobrotli',
  'reader-hostcodecs',
  'full',
  'full-simd',
  'inspect',
  'inspect-simd',
  'json',
];

const licences = {
  libcpb: path('../LICENSE'),
  brotli: `${modules}/_sources/brotli/LICENSE`,
  nanopb: `${modules}/_sources/nanopb/LICENSE.txt`,
  yyjson: `${modules}/_sources/yyjson/LICENSE`,
  zlib: `${modules}/_sources/zlib/LICENSE`,
  zstd: `${modules}/_sources/zstd/LICENSE`,
};

/** The answers of models have more types than all the rest, hence a name around them. */
const answerTypes = `
export type * from './inspect/asked.js';
export type * as AnswerTypes from './inspect/answers.js';
export type { Answers, Differences, Extent, Problem } from './inspect/answers.js';
`;

/** @param {string} file @param {string} how it is made */
function need(file, how) {
  if (existsSync(file)) return;
  console.error(`${file} is missing: ${how}`);
  process.exit(1);
}

const tsc = path('node_modules/.bin/tsc');
for (const name of shipped) need(`${modules}/${name}.wasm`, 'web/build.sh makes it');
if (!args.includes('--sources-only')) need(tsc, '`npm ci` in web/ installs it; --sources-only does without');

writeOperators();
rmSync(dist, { recursive: true, force: true });
mkdirSync(`${dist}/wasm`, { recursive: true });
for (const name of shipped) copyFileSync(`${modules}/${name}.wasm`, `${dist}/wasm/${name}.wasm`);
for (const [name, file] of Object.entries(licences)) cpSync(file, `${dist}/licences/${name}.txt`);
if (args.includes('--sources-only')) {
  const filter = (/** @type {string} */ name) => !/\.wasm$|\.gitignore$|README|\.d\.ts$/.test(name);
  cpSync(path('src'), dist, { recursive: true, filter });
} else {
  await makeScripts();
  await makeTypes();
  if (dist === path('dist')) check(JSON.parse(readFileSync(path('package.json'), 'utf8')));
}

async function makeScripts() {
  const { bundle } = await import('./bundle.js');
  const { inline } = await import('./inline.js');
  cpSync(path('src/inspect/operators'), `${dist}/operators`, { recursive: true });
  await bundle(path('src'), dist);
  writeFileSync(`${dist}/inline.js`, await inline(path('src'), `${modules}/reader.wasm`));
}

/** They are in a folder of their own, in as many files as the sources, which the entries of theirs lead to. */
async function makeTypes() {
  const { writeAnswerTypes } = await import('./answers.js');
  await writeAnswerTypes();
  execFileSync(tsc, ['-p', '.', '--outDir', `${dist}/types`], { cwd: path('.'), stdio: 'inherit' });
  copyFileSync(path('src/inspect/answers.d.ts'), `${dist}/types/inspect/answers.d.ts`);
  nameTypes(`${dist}/types/api.d.ts`);
  const types =
    "export * from './full-api.js';\nexport { inspectInWorker, openInWorker } from './worker/browser.js';\n";
  for (const entry of ['index', 'inline', 'min']) writeFileSync(`${dist}/types/${entry}.d.ts`, types);
}

/**
 * Exports types under their names, with what is said of them, rather than new names for them,
 * and those of answers. `Disposable` need not be in the user's `lib`.
 */
function nameTypes(/** @type {string} */ file) {
  const alias = /^export type (\w+) = import\((".*?")\)\.\1;$/gm;
  const named = readFileSync(file, 'utf8').replace(alias, 'export type { $1 } from $2;');
  writeFileSync(file, `/// <reference lib="esnext.disposable" />\n${named}${answerTypes}`);
}

/** All files that package.json names are there. @param {unknown} named */
function check(named) {
  if (typeof named === 'object') return Object.values(named ?? {}).forEach(check);
  if (!/^\.\/dist\/[^*]+$/.test(String(named)) || existsSync(path(String(named)))) return;
  console.error(`package.json names ${named}, which was not made`);
  process.exit(1);
}

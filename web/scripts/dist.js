/**
 * Makes web/dist, which is what is published: the sources as they are, their
 * types, the WebAssembly modules, the entry that is one file, and the licences
 * of what is in the modules. With --sources-only neither types nor that entry,
 * which are made by packages from npm.
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
  'dictionary',
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
mkdirSync(dist, { recursive: true });
cpSync(path('src'), dist, {
  recursive: true,
  filter: (name) => !/\.wasm$|\.gitignore$|README|\.d\.ts$/.test(name),
});
for (const name of shipped) copyFileSync(`${modules}/${name}.wasm`, `${dist}/wasm/${name}.wasm`);
for (const [name, file] of Object.entries(licences)) cpSync(file, `${dist}/licences/${name}.txt`);

if (!args.includes('--sources-only')) {
  const { inline } = await import('./inline.js');
  writeFileSync(`${dist}/inline.js`, await inline(dist, modules));
  const { writeAnswerTypes } = await import('./answers.js');
  await writeAnswerTypes();
  copyFileSync(path('src/inspect/answers.d.ts'), `${dist}/inspect/answers.d.ts`);
  execFileSync(tsc, ['-p', '.', '--outDir', dist], {
    cwd: path('.'),
    stdio: 'inherit',
  });
  nameTypes(`${dist}/api.d.ts`);
  // What imports types of a module looks for its code, too.
  writeFileSync(`${dist}/inspect/answers.js`, 'export {};\n');
  const types =
    "export * from './full-api.js';\nexport { inspectInWorker, openInWorker } from './worker/browser.js';\n";
  for (const entry of ['index', 'inline']) writeFileSync(`${dist}/${entry}.d.ts`, types);
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

/** All that package.json names is there. @param {string | object} named */
function check(named) {
  if (typeof named === 'object') return Object.values(named).forEach(check);
  const file = path(named);
  if (named.startsWith('./dist/') && !named.includes('*') && !existsSync(file)) {
    console.error(`package.json names ${named}, which was not made`);
    process.exit(1);
  }
}
if (dist === path('dist') && !args.includes('--sources-only')) {
  check(JSON.parse(readFileSync(path('package.json'), 'utf8')).exports);
}

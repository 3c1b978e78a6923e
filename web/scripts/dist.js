/**
 * Makes web/dist, which is what is published: the sources as they are, their
 * types, the WebAssembly modules, and the entry that has one inlined.
 *
 *     node scripts/dist.js [folder of the modules: build/web]
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const web = new URL('..', import.meta.url);
const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, web));
const modules = process.argv[2] ?? path('../build/web');

const shipped = [
  'reader',
  'reader-simd',
  'reader-nobrotli',
  'reader-hostcodecs',
  'full',
  'full-simd',
];

rmSync(path('dist'), { recursive: true, force: true });
mkdirSync(path('dist'));
cpSync(path('src'), path('dist'), {
  recursive: true,
  filter: (name) => !/\.wasm$|\.gitignore$|README/.test(name),
});
for (const name of shipped) cpSync(`${modules}/${name}.wasm`, path(`dist/wasm/${name}.wasm`));

const base64 = readFileSync(`${modules}/reader.wasm`).toString('base64');
writeFileSync(
  path('dist/inline.js'),
  `/** The entry that needs no other file: the module for reading is in it. */
import { setUp } from './init.js';
import { CpbError } from './errors.js';

setUp((kind) => {
  if (kind !== 'reader') {
    throw new CpbError('USAGE', 'to write, call init({ full }) with full.wasm first');
  }
  return Uint8Array.from(atob(module), (c) => c.charCodeAt(0));
});

export * from './api.js';

const module = '${base64}';
`,
);
execFileSync('npx', ['tsc', '-p', '.'], { cwd: path('.'), stdio: 'inherit' });
writeFileSync(path('dist/inline.d.ts'), "export * from './api.js';\n");

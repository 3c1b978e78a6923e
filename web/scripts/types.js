/** Makes the types of the package from the sources' JSDoc and from the descriptions of answers about models. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeAnswerTypes } from './answers.js';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const tsc = path('node_modules/.bin/tsc');

/** The answers of models have more types than everything else, so they get a namespace. */
const answerTypes = `
export type * from './inspect/asked.js';
export type * as AnswerTypes from './inspect/answers.js';
export type { Answers, Differences, Extent, Problem } from './inspect/answers.js';
`;

/**
 * Types of the platform, for programs whose `lib` has neither `dom` nor Node's types; if these exist, the declarations
 * here add nothing.
 */
const platform = `declare global {
  interface AbortController {}
  interface AbortSignal {}
  interface Blob {}
  interface Headers {}
  interface ReadableStream<R = any> {}
  interface ReadableStreamDefaultReader<R = any> {}
  interface RequestInit {}
  interface Response {}
  interface URL {}
  interface WritableStream<W = any> {}
  namespace WebAssembly {
    interface Module {}
  }
}
`;

/** Types that are aliases there, which cannot be declared twice. @type {Record<string, string>} */
const aliases = {
  BufferSource: '(ArrayBufferView | ArrayBuffer)',
  HeadersInit: '(Headers | Record<string, string> | [string, string][])',
  'ReadableStreamReadResult<any>': '{ done: boolean, value?: any }',
  RequestCache: "('default' | 'force-cache' | 'no-cache' | 'no-store' | 'only-if-cached' | 'reload')",
  RequestCredentials: "('include' | 'omit' | 'same-origin')",
  'WebAssembly.Exports': 'Record<string, any>',
  RequestMode: "('cors' | 'navigate' | 'no-cors' | 'same-origin')",
};

/** In as many files as the sources, which those of the entries lead to. @param {string} folder */
export async function makeTypes(folder) {
  await writeAnswerTypes();
  execFileSync(tsc, ['-p', '.', '--outDir', folder], { cwd: path('.'), stdio: 'inherit' });
  copyFileSync(path('src/inspect/answers.d.ts'), `${folder}/inspect/answers.d.ts`);
  nameTypes(`${folder}/api.d.ts`);
  standAlone(folder);
  const types =
    "export * from './full-api.js';\nexport { inspectInWorker, openInWorker } from './worker/browser.js';\n";
  for (const entry of ['index', 'inline', 'min']) writeFileSync(`${folder}/${entry}.d.ts`, types);
}

/** Makes the types independent of `lib`. @param {string} folder */
function standAlone(folder) {
  const names = new RegExp(`(?<![\\w.])(${Object.keys(aliases).join('|')})(?![\\w(])`, 'g');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    const changed = text.replace(names, (alias) => String(aliases[alias]));
    if (changed !== text) writeFileSync(`${folder}/${name}`, changed);
  }
}

/**
 * Exports types under their names, with their descriptions, instead of under new names, and those of answers.
 * `Disposable` need not be in the user's `lib`.
 */
function nameTypes(/** @type {string} */ file) {
  const alias = /^export type (\w+) = import\((".*?")\)\.\1;$/gm;
  const named = readFileSync(file, 'utf8').replace(alias, 'export type { $1 } from $2;');
  writeFileSync(file, `/// <reference lib="esnext.disposable" />\n${named}${answerTypes}${platform}`);
}

/**
 * Makes src/inspect/operators/*.js, the facts about the operators of ONNX, TensorFlow and Core ML,
 * from the tables of the library, which are strings of C. web/build.sh and dist.js run it.
 *
 *     node scripts/operators.js
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const tables = new URL('../../src/model/operators/', import.meta.url);
const modules = new URL('../src/inspect/operators/', import.meta.url);

/** What the strings of a file say. @param {string} source */
const textOf = (source) =>
  [...source.matchAll(/^".*"$/gm)].map(([line]) => /** @type {string} */ (JSON.parse(line))).join('');

/** @param {string} text a template's */
const quoted = (text) => text.replace(/[\\`]|\$\{/g, '\\$&').replaceAll('\t', '\\t');

export function writeOperators() {
  mkdirSync(modules, { recursive: true });
  for (const name of ['onnx', 'tensorflow', 'coreml']) {
    const text = textOf(readFileSync(new URL(`${name}.inc`, tables), 'utf8'));
    const script = `/** As src/model/operators/operators.h says. @type {string} */
const table = \`${quoted(text)}\`;
export default table;
`;
    writeFileSync(new URL(`${name}.js`, modules), script);
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) writeOperators();

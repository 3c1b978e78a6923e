/**
 * Makes src/inspect/operators/*.js, the facts about the operators of ONNX, TensorFlow and Core ML,
 * from the tables of the library (tools/operators.py says what a row is). web/build.sh and dist.js run it.
 *
 *     node scripts/operators.js
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const tables = new URL('../../src/model/operators/', import.meta.url);
const modules = new URL('../src/inspect/operators/', import.meta.url);

/** The table of a file, as the library has it in memory. @param {string} source */
const textOf = (source) =>
  [...source.matchAll(/^OP\((.*)\)$/gm)]
    .map(([, words]) => {
      const [name, domain, , versions, sentence] = /** @type {string[]} */ (JSON.parse(`[${words}]`));
      return `${name}\t${domain}\t${versions}\t${sentence}\n`;
    })
    .join('');

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

/** The examples in JavaScript of the READMEs and docs, as files that TypeScript can check. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as libcpb from '../../src/node.js';

const root = new URL('../../../', import.meta.url);

const pages = () => {
  const docs = readdirSync(new URL('docs', root)).map((name) => `docs/${name}`);
  return ['README.md', 'web/README.md', ...docs.filter((name) => name.endsWith('.md'))];
};

/** With what it uses of the package, where an example does not say that. @param {string} code */
function withImports(code) {
  const isFrom = (/** @type {string} */ name) => new RegExp(`^import .*\\b${name}\\b.* from 'libcpb`, 'm').test(code);
  const isUsed = (/** @type {string} */ name) => new RegExp(`(?<![.\\w])${name}\\(`).test(code);
  const names = Object.keys(libcpb).filter((name) => isUsed(name) && !isFrom(name));
  return `import { ${names.join(', ')} } from 'libcpb';\n${code}`;
}

/**
 * Writes each into the folder, named after its page and line.
 *
 * @param {string} folder
 * @returns {string[]} the files
 */
export function writeExamples(folder) {
  mkdirSync(folder, { recursive: true });
  const files = [];
  for (const page of pages()) {
    const text = readFileSync(new URL(page, root), 'utf8');
    for (const { index, 1: code = '' } of text.matchAll(/^```js\n(.*?)^```$/gms)) {
      const line = text.slice(0, index).split('\n').length;
      files.push(`${folder}/${page.replaceAll('/', '_')}_${line}.ts`);
      writeFileSync(String(files.at(-1)), withImports(code));
    }
  }
  return files;
}

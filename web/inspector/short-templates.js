/**
 * Templates as short as a browser needs them: a plugin of esbuild, which leaves their contents alone. Styles without
 * expressions are minified; elsewhere a line's indentation goes, as any white space counts as one space in HTML.
 */
import { transformSync } from 'esbuild';
import { readFileSync } from 'node:fs';

/** @param {string} text */
function styles(text) {
  const { code } = transformSync(text, { loader: 'css', minify: true, target: 'esnext' });
  return code.replace(/\n$/, '').replaceAll('\\', '\\\\');
}

/** @param {string} source */
const shorter = (source) =>
  source.replace(/(?<=\bcss`)[^`$\\]*(?=`)/g, (text) => styles(text)).replace(/\n[ ]+/g, '\n');

/** @type {import('esbuild').Plugin} */
export const shortTemplates = {
  name: 'short templates',
  setup: (one) =>
    one.onLoad({ filter: /inspector\/src\/.*\.js$/ }, ({ path }) => ({
      contents: shorter(readFileSync(path, 'utf8')),
    })),
};

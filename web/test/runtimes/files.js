/** Which test files run where. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export const runtimes = ['node', 'deno', 'bun', 'workerd', 'chromium', 'firefox', 'webkit'];

/**
 * @param {string} source
 * @returns {string[]} the runtimes that a test file names, or else all, or Node if it needs that
 */
export function runtimesOf(source) {
  const pattern = process.env.CPB_TEST_ALL ? /^\/\/ runtimes: (.*)$/m : /^\/\/ runtimes(?: by default)?: (.*)$/m;
  const named = pattern.exec(source);
  if (named)
    return String(named[1])
      .split(',')
      .map((name) => name.trim());
  return /^(import|export)\b[^;]*'node:/m.test(source) || /\bimport\('node:/.test(source) ? ['node'] : runtimes;
}

/**
 * What to run: `file` from the repository's root; `alone` if the file says that it measures what
 * others at its side would change.
 *
 * @typedef {{file: string, runtimes: string[], alone: boolean}} TestFile
 */

/**
 * @param {string} [folder] web/test/recipes has those that take long
 * @returns {TestFile[]}
 */
export function testFiles(folder = 'web/test') {
  return readdirSync(`${root}${folder}`)
    .filter((name) => name.endsWith('.test.js'))
    .sort()
    .map((name) => `${folder}/${name}`)
    .map((file) => {
      const source = readFileSync(root + file, 'utf8');
      return { file, runtimes: runtimesOf(source), alone: /^\/\/ alone: /m.test(source) };
    });
}

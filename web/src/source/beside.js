import { keyBeside } from './addresses.js';

/**
 * The address of another file, by its path relative to the folder of a given file.
 *
 * @param {string} given the address of the given file
 * @param {string} url the same as a URL
 * @param {string} path
 */
export function beside(given, url, path) {
  if (!/^http/.test(url)) return keyBeside(given, path);
  // Each part of the name is escaped, also what servers take for more than a name: `;`, and `+`, which S3 takes
  // for a space. The query may be what signs it.
  const { search } = new URL(url);
  return new URL(`./${encodeURIComponent(path).replace(/%2F/g, '/')}${search}`, url).href;
}

import { keyBeside } from './addresses.js';

/**
 * The address of another file, by its path relative to the folder of a given file.
 *
 * @param {string} given the address of the file in that folder
 * @param {string} url the same as a URL
 * @param {string} path
 */
export function beside(given, url, path) {
  if (!/^http/.test(url)) return keyBeside(given, path);
  // Escapes each part of the name, including characters that servers interpret: `;`, and `+`, which S3 takes for a
  // space. The query may be a signature.
  const { search } = new URL(url);
  return new URL(`./${encodeURIComponent(path).replace(/%2F/g, '/')}${search}`, url).href;
}

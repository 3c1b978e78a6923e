/** A file in an instance of another module, for functions that its own module lacks. */
import { moduleFor } from '../modules.js';
import { memo, once } from '../waiting.js';
import { openFile } from './open-file.js';

/** @import { OpenFile } from './open-file.js' */

/**
 * Another instance, of another module, for the same file, with which it is closed.
 *
 * @param {OpenFile} file @param {WebAssembly.Module} module
 */
export async function openBeside(file, module) {
  const source = Object.create(file.source, { close: { value: undefined } });
  const beside = await openFile(module, source, file.limits);
  try {
    file.keep(beside.close);
  } catch (error) {
    beside.close();
    throw error;
  }
  return beside;
}

/** @param {OpenFile} file @returns {Promise<OpenFile>} */
async function open(file) {
  const other = await openBeside(file, await moduleFor('models'));
  return Object.assign(other, { size: file.size, held: file.held });
}

const opening = memo((/** @type {OpenFile} */ file) => once(() => open(file)), new WeakMap());

/** Once for a file, with which it is closed. @param {OpenFile} file */
export const wholeOf = (file) => opening(file)();

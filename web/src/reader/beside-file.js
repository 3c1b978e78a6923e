/** A file in an instance of another module, for functions that its own module lacks. */
import { openFile } from './open-file.js';

/** @import { OpenFile } from './open-file.js' */

/**
 * Another instance, of another module, for the same file, with which it is closed.
 *
 * @param {OpenFile} file
 * @param {WebAssembly.Module} module
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

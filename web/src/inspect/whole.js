/** A file in an instance of `models`, where its own is one of `inspect`. */
import { moduleFor } from '../modules.js';
import { openBeside } from '../reader/beside-file.js';

/** @import { OpenFile } from '../reader/open-file.js' */

/** @type {WeakMap<OpenFile, Promise<OpenFile>>} */
const beside = new WeakMap();

/** @param {OpenFile} file @returns {Promise<OpenFile>} */
async function open(file) {
  const other = await openBeside(file, await moduleFor('models'));
  return Object.assign(other, { size: file.size, held: file.held });
}

/** Once for a file, with which it is closed. @param {OpenFile} file @returns {Promise<OpenFile>} */
export function wholeOf(file) {
  const opening = beside.get(file) ?? open(file);
  beside.set(file, opening);
  opening.catch(() => beside.delete(file));
  return opening;
}

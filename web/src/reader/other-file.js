/** Descriptions of other files. */
import { structs } from './structs.js';

/** @import { Engine } from '../wasm/engine.js' */
/** @import { Instance } from '../wasm/instance.js' */

/** A byte order mark at the beginning of a name is part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Another file that chunks are in.
 * @typedef {object} OtherFile
 * @property {string} name relative to the folder of the file that refers to it, or a path or URL
 * @property {number} size the size that it must have, in bytes
 */

/**
 * Reads it from a function of C.
 *
 * @param {Instance} instance
 * @param {(out: number) => void} fill calls the function
 * @returns {OtherFile}
 */
export const otherFile = (instance, fill) =>
  instance.scope((scope) => {
    const out = scope.struct(structs.other_file);
    fill(out);
    const { name, length, size } = instance.get(structs.other_file, out);
    return { name: decoder.decode(instance.copy(name, length)), size };
  });

/** All files that an index names; number n is the n-th. @param {Instance} instance @param {Engine} index */
export const otherFiles = (instance, index) =>
  Array.from({ length: index.call('num_files') }, (_, i) =>
    otherFile(instance, (out) => index.call('get_file', i + 1, out)),
  );

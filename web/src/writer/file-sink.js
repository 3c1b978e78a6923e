/// <reference types="node" />
import { fs, url } from '../source/node.js';

const { closeSync, openSync, writeSync } = fs;

/**
 * Writes to an opened file without waiting.
 *
 * @param {{ fd: number }} file @returns {import('../reader/merged-body.js').Put}
 */
export const putTo = (file) => (offset, bytes) => {
  for (let at = 0; at < bytes.length;) at += writeSync(file.fd, bytes, at, bytes.length - at, offset + at);
};

/**
 * A file that gets its name when it is complete; until then it has a temporary name in the same folder.
 *
 * @param {string | URL} path @returns {import('./sinks.js').OwnSink}
 */
export function fileSink(path) {
  const name = String(path).startsWith('file:') ? url.fileURLToPath(path) : String(path);
  // Not of `crypto`, which takes Node longer to load than many a file to write; a name that is taken is an error.
  const beside = `${name}.${Math.random().toString(36).slice(2, 10)}.tmp`;
  /** @type {number | undefined} */
  let fd;
  const open = () => (fd ??= openSync(beside, 'wx'));
  /** @type {import('../reader/merged-body.js').Put} */
  const put = (offset, bytes) => putTo({ fd: open() })(offset, bytes);
  function close() {
    closeSync(open());
    fd = undefined;
  }

  return {
    open,
    put,
    write: put,
    async close() {
      close();
      await fs.promises.rename(beside, name);
    },
    async abort() {
      if (fd !== undefined) close();
      await fs.promises.rm(beside, { force: true });
    },
  };
}

/// <reference types="node" />
import { writeSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Writes to an opened file without waiting.
 *
 * @param {import('node:fs/promises').FileHandle} handle
 * @returns {import('../reader/merged-body.js').Put}
 */
export const putTo = (handle) => (offset, bytes) => {
  for (let at = 0; at < bytes.length;) at += writeSync(handle.fd, bytes, at, bytes.length - at, offset + at);
};

/**
 * A file that appears under its name when it is whole; until then it is beside it.
 *
 * @param {string | URL} path
 * @returns {import('./sinks.js').OwnSink}
 */
export function fileSink(path) {
  const name = String(path).startsWith('file:') ? fileURLToPath(path) : String(path);
  // Not of `crypto`, which takes Node longer to load than many a file to write; a name that is taken is an error.
  const beside = `${name}.${Math.random().toString(36).slice(2, 10)}.tmp`;
  /** @type {ReturnType<typeof open> | undefined} */
  let opened;
  const handle = () => (opened ??= open(beside, 'wx'));
  /** @type {ReturnType<typeof putTo> | undefined} */
  let put;

  return {
    async open() {
      put = putTo(await handle());
    },
    put: (offset, bytes) => put?.(offset, bytes),
    async write(offset, bytes) {
      const file = await handle();
      for (let at = 0; at < bytes.length;) {
        at += (await file.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
      }
    },
    async close() {
      await (await handle()).close();
      await rename(beside, name);
    },
    async abort() {
      if (!opened) return;
      await opened.then((handle) => handle.close()).catch(() => {});
      await rm(beside, { force: true });
    },
  };
}

/// <reference types="node" />
import { open, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * A file that appears under its name when it is whole; until then it is beside it.
 *
 * @param {string | URL} path
 * @returns {import('./sinks.js').Sink}
 */
export function fileSink(path) {
  const name = String(path).startsWith('file:') ? fileURLToPath(path) : String(path);
  const beside = `${name}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  /** @type {ReturnType<typeof open> | undefined} */
  let opened;

  return {
    async write(offset, bytes) {
      const handle = await (opened ??= open(beside, 'wx'));
      for (let at = 0; at < bytes.length;) {
        at += (await handle.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
      }
    },
    async close() {
      await (await (opened ??= open(beside, 'wx'))).close();
      await rename(beside, name);
    },
    async abort() {
      if (!opened) return;
      await opened.then((handle) => handle.close()).catch(() => {});
      await rm(beside, { force: true });
    },
  };
}

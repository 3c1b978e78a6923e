/// <reference types="node" />
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asCpbError, CpbError } from '../errors.js';

/**
 * A file of Node, Deno or Bun, opened at the first read. Its size and time of change
 * are compared after each read.
 *
 * @param {string | URL} path or a file: URL
 * @returns {import('../types.js').Source}
 */
export function fileSource(path) {
  const name = String(path).startsWith('file:') ? fileURLToPath(path) : String(path);
  /** @typedef {import('node:fs/promises').FileHandle} FileHandle */
  /** @type {Promise<{ handle: FileHandle, size: number, etag: string }> | undefined} */
  let opened;

  /** @param {FileHandle} handle */
  async function identity(handle) {
    const { size, mtimeNs } = await handle.stat({ bigint: true });
    return { size: Number(size), etag: `"${size}-${mtimeNs}"` };
  }

  async function first() {
    const handle = await open(name, 'r');
    try {
      if (!(await handle.stat()).isFile()) throw new CpbError('READ', `${name} is no regular file`);
      return { handle, ...await identity(handle) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  const file = () => opened ??= first().catch((error) => {
    opened = undefined;
    return fail(error);
  });

  /** @param {unknown} error @returns {never} */
  function fail(error) { throw asCpbError(error, name); }

  /** @param {number} offset @param {number} length */
  async function readAt(offset, length) {
    const { handle, size, etag } = await file();
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    let at = 0;
    for (let count = -1; at < bytes.length && count !== 0; at += count) {
      count = (await handle.read(bytes, at, bytes.length - at, offset + at)).bytesRead;
    }
    const now = await identity(handle);
    if (now.etag !== etag || at < bytes.length) {
      throw new CpbError('CHANGED', `${name} changed while it was read`, { offset });
    }
    return bytes;
  }

  async function close() {
    const closing = opened;
    opened = undefined;
    await closing?.then(({ handle }) => handle.close(), () => {});
  }

  return {
    name,
    read: (offset, length) => readAt(offset, length).catch(fail),
    async stat() {
      const { size, etag } = await file();
      return { size, etag };
    },
    reset: () => void close().catch(() => {}),
    close,
  };
}

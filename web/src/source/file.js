/// <reference types="node" />
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asCpbError, CpbError } from '../errors.js';

/** @param {import('node:fs/promises').FileHandle} handle */
async function identity(handle) {
  const { size, mtimeNs } = await handle.stat({ bigint: true });
  return { size: Number(size), etag: `"${size}-${mtimeNs}"` };
}

/** @param {string} name */
async function openFile(name) {
  const handle = await open(name, 'r');
  try {
    if (!(await handle.stat()).isFile()) throw new CpbError('READ', `${name} is not a regular file`);
    return { handle, ...(await identity(handle)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * @param {Awaited<ReturnType<typeof openFile>>} file
 * @param {string} name
 * @param {number} offset
 * @param {number} length
 */
async function readAt({ handle, size, etag }, name, offset, length) {
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

/**
 * A file of Node, Deno or Bun, opened at the first read. Its size and time of change
 * are compared after each read.
 *
 * @param {string | URL} path or a file: URL
 * @returns {import('../types.js').Source}
 */
export function fileSource(path) {
  const name = String(path).startsWith('file:') ? fileURLToPath(path) : String(path);
  /** @type {ReturnType<typeof openFile> | undefined} */
  let opened;

  /** @param {unknown} error @returns {never} */
  function fail(error) {
    throw asCpbError(error, name);
  }

  const file = () =>
    (opened ??= openFile(name).catch((error) => {
      opened = undefined;
      return fail(error);
    }));

  async function close() {
    const closing = opened;
    opened = undefined;
    await closing?.then(
      ({ handle }) => handle.close(),
      () => {},
    );
  }

  return {
    name,
    read: async (offset, length) => readAt(await file(), name, offset, length).catch(fail),
    async stat() {
      const { size, etag } = await file();
      return { size, etag };
    },
    reset: () => void close().catch(() => {}),
    close,
  };
}

import { isWeak } from '../source/headers.js';
import { keepers, layer } from './layer.js';

/**
 * Storage for `persist`. Keys are arbitrary strings; `list` returns the entries, the oldest first.
 *
 * @typedef {object} Store
 * @property {(key: string) => Promise<Uint8Array | undefined>} get undefined if it does not exist
 * @property {(key: string, bytes: Uint8Array) => Promise<void>} put replaces an existing entry
 * @property {(key: string) => Promise<void>} delete not an error if it does not exist
 * @property {() => Promise<{ key: string, size: number }[]>} list of all entries
 */

/**
 * Keeps ranges across sessions, by name, ETag and range. Nothing is kept for a source without a name or a strong ETag.
 * A store that fails counts as empty. The name of a URL is the URL without its signature, together with the headers
 * sent with it except `Authorization`: the request for the ETag checks the permission to read. For a plain message
 * (.pb) from a URL it also keeps the places of fields that were found (at most 2 MiB), so that the next search does not
 * request bytes that the last one saw.
 *
 * @param {object} options
 * @param {'cache' | 'opfs' | Store} options.store the Cache API, the origin private file system, or your own
 * @param {number} [options.bytes] largest size of the store; default 256 MiB
 * @param {string} [options.name] instead of the source's own
 * @returns {import('../types.js').Middleware}
 */
export function persist({ store, bytes: most = 256 << 20, name: given }) {
  return (source) => {
    const name = given ?? (source.key ? nameOf(...source.key) : source.name);
    const ready = opened(store);
    ready.catch(() => {});
    const writer = writerTo(ready, most);

    const outline = `${name} outline`;
    if (name && source.key) {
      keepers.set(source.key, {
        get: () => ready.then((open) => open.get(outline)).catch(() => undefined),
        put: (bytes) => writer.put(outline, bytes),
      });
    }

    return layer(source, {
      async read(offset, length, options) {
        const { etag } = name ? await source.stat(options) : { etag: undefined };
        if (!etag || isWeak(etag)) return source.read(offset, length, options);
        const key = `${name} ${etag} ${offset}+${length}`;
        const found = await ready.then((open) => open.get(key)).catch(() => undefined);
        if (found?.length === length) return found;
        const bytes = await source.read(offset, length, options);
        if (bytes.length === length) writer.put(key, bytes);
        return bytes;
      },
      async close() {
        await writer.done();
        await source.close?.();
      },
    });
  };
}

/**
 * Writes to a store one by one, and drops the oldest entries beyond `most` bytes; failures are ignored.
 *
 * @param {Promise<Store>} ready @param {number} most
 */
function writerTo(ready, most) {
  let writing = Promise.resolve();
  /** @type {Promise<Map<string, number>> | undefined} */
  let sizes;

  const listed = () =>
    (sizes ??= ready.then(async (open) => new Map((await open.list()).map(({ key, size }) => [key, size]))));

  /** @param {string} key */
  async function drop(key) {
    const [open, held] = await Promise.all([ready, listed()]);
    await open.delete(key);
    held.delete(key);
  }

  /** @param {string} key @param {Uint8Array} bytes */
  async function keep(key, bytes) {
    const [open, held] = await Promise.all([ready, listed()]);
    let sum = bytes.length;
    for (const size of held.values()) sum += size;
    for (const [oldest, size] of held) {
      if (sum <= most) break;
      await open.delete(oldest);
      held.delete(oldest);
      sum -= size;
    }
    await open.put(key, bytes);
    held.delete(key);
    held.set(key, bytes.length);
  }

  /** @param {() => Promise<void>} work */
  const next = (work) => void (writing = writing.then(work).catch(() => {}));

  return {
    /** @param {string} key @param {Uint8Array | undefined} bytes undefined: removes the entry */
    put(key, bytes) {
      if (!bytes) next(() => drop(key));
      else if (bytes.length <= most) next(() => keep(key, bytes));
    },
    done: () => writing,
  };
}

/**
 * Parameters in a signed URL's query that change with each signature: S3's and R2's, Google's, Azure's, CloudFront's.
 */
const SIGNATURE = /^(x-(amz|goog)-)?(signature|sig)$/i;
const SIGNING = /^(x-(amz|goog)-.*|signature|expires|policy|key-pair-id|awsaccesskeyid|googleaccessid|s[a-z]{1,4})$/i;

/** @param {string} url @param {HeadersInit} [headers] */
function nameOf(url, headers) {
  const { origin, pathname, searchParams } = new URL(url);
  const signed = [...searchParams.keys()].some((key) => SIGNATURE.test(key));
  const query = new URLSearchParams([...searchParams].filter(([key]) => !(signed && SIGNING.test(key))));
  const sent = [...new Headers(headers)].filter(([key]) => key !== 'authorization');
  return [origin + pathname, query, ...sent.map((header) => header.join(':'))].filter(String).join(' ');
}

/** @param {'cache' | 'opfs' | Store} store */
async function opened(store) {
  if (store === 'cache') return cacheStore();
  return store === 'opfs' ? opfsStore() : store;
}

/** A store in the Cache API of browsers, Deno and Workers. @param {string} [name] @returns {Promise<Store>} */
export async function cacheStore(name = 'libcpb') {
  const cache = await caches.open(name);
  const base = 'https://libcpb.invalid/';
  const urlOf = (/** @type {string} */ key) => base + encodeURIComponent(key);
  return {
    async get(key) {
      const response = await cache.match(urlOf(key));
      return response && new Uint8Array(await response.arrayBuffer());
    },
    put: (key, bytes) =>
      cache.put(
        urlOf(key),
        new Response(/** @type {BodyInit} */ (bytes), {
          headers: { 'Content-Length': String(bytes.length), 'Cache-Control': 'max-age=31536000' },
        }),
      ),
    delete: async (key) => void (await cache.delete(urlOf(key))),
    async list() {
      const found = [];
      for (const request of await cache.keys()) {
        const response = await cache.match(request);
        const size = Number(response?.headers.get('content-length') ?? 0);
        found.push({ key: decodeURIComponent(request.url.slice(base.length)), size });
      }
      return found;
    },
  };
}

/**
 * A store in the origin private file system of browsers.
 *
 * @param {string} [name] of the folder
 * @returns {Promise<Store>}
 */
export async function opfsStore(name = 'libcpb') {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(name, { create: true });
  return {
    async get(key) {
      const handle = await folder.getFileHandle(await fileName(key)).catch(() => undefined);
      return handle && new Uint8Array(await (await handle.getFile()).arrayBuffer());
    },
    async put(key, bytes) {
      const handle = await folder.getFileHandle(await fileName(key), { create: true });
      const writable = await handle.createWritable();
      await writable.write(/** @type {FileSystemWriteChunkType} */ (bytes));
      await writable.close();
    },
    delete: async (key) => folder.removeEntry(await fileName(key)),
    async list() {
      const found = [];
      const entries = /** @type {{ values(): AsyncIterable<FileSystemHandle> }} */ (
        /** @type {unknown} */ (folder)
      ).values();
      for await (const handle of entries) {
        const file = await /** @type {FileSystemFileHandle} */ (handle).getFile();
        found.push({ key: file.name, size: file.size, time: file.lastModified });
      }
      return found.sort((a, b) => a.time - b.time);
    },
  };
}

/** A key as a name that any file system takes; a name stays as it is. @param {string} key */
async function fileName(key) {
  if (/^[0-9a-f]{64}$/.test(key)) return key;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @typedef {import('./persist.js').Store} Store */

/**
 * A store in the Cache API of browsers, Deno and Workers.
 *
 * @param {string} [name]
 * @returns {Promise<Store>}
 */
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

import { isWeak } from '../source/tags.js';
import { layer } from './layer.js';
import { keepers } from './outlines.js';
import { cacheStore, opfsStore } from './stores.js';

/** @typedef {import('../types.js').ReadOptions} ReadOptions */

/**
 * Storage for `persist`: see stores.js. Keys are arbitrary strings; `list` returns the entries, the oldest first.
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
const persist =
  ({ store, bytes: most = 256 << 20, name: given }) =>
  (source) => {
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

/**
 * Writes to a store one by one, and drops the oldest entries beyond `most` bytes; failures are ignored.
 *
 * @param {Promise<Store>} ready
 * @param {number} most
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

/** Parameters in a signed URL's query that change with each signature: S3's and R2's, Google's, Azure's, CloudFront's. */
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

export { persist };

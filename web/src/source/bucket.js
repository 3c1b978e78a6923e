import { asCpbError, CpbError } from '../errors.js';
import { piecesOf } from './pieces.js';
import { streamOf } from './streams.js';

/** @import { ReadOptions, Source } from '../types.js' */

/**
 * The methods that are used of a bucket binding, such as Cloudflare's R2Bucket.
 *
 * @typedef {object} Bucket
 * @property {(key: string, options?: { range?: BucketRange, onlyIf?: { etagMatches: string },
 *   signal?: AbortSignal }) => Promise<BucketObject | null>} get a range of an object
 * @property {(key: string) => Promise<BucketObject | null>} head its metadata
 */

/**
 * A request to a bucket: a range, or the last bytes.
 * @typedef {{ offset: number, length: number } | { suffix: number }} BucketRange
 */

/**
 * A bucket's answer, such as R2ObjectBody.
 * @typedef {object} BucketObject
 * @property {number} size of the whole object
 * @property {string} etag
 * @property {string} [httpEtag]
 * @property {{ offset?: number, length?: number, suffix?: number }} [range] the range in `body`
 * @property {ReadableStream<Uint8Array> | null} [body] missing if `onlyIf` did not hold
 * @property {() => Promise<ArrayBuffer>} [arrayBuffer] not used
 */

/** Values that all results must agree on. @typedef {{ size: number, etag: string, tag: string }} Pinned */

/** R2's own codes for: internal error, unavailable, too many requests, timeout. */
const temporary = /\((10001|10043|10054|10058)\)/;

/** An object of a bucket, with the size and ETag of the first result. */
class StoredObject {
  #bucket;
  #key;
  #signals;
  /** @type {Pinned | undefined} */
  #pinned;

  /** @param {Bucket} bucket @param {string} key @param {boolean} signals whether it accepts them */
  constructor(bucket, key, signals) {
    this.#signals = signals;
    this.#bucket = bucket;
    this.#key = key;
  }

  #changed() {
    return new CpbError('CHANGED', `${this.#key} changed while it was read`);
  }

  /** @param {Promise<BucketObject | null>} answer */
  async #found(answer) {
    const key = this.#key;
    const object = await answer.catch((cause) => {
      throw temporary.test(String(cause?.message))
        ? new CpbError('READ', `${key}: ${cause.message}`, { cause, retryable: true })
        : asCpbError(cause, key);
    });
    if (!object) throw new CpbError('HTTP', `the bucket has no object ${key}`, { status: 404 });
    const { size, etag, httpEtag = `"${etag}"` } = object;
    const pinned = this.#pinned;
    if (pinned && (pinned.etag !== etag || pinned.size !== size)) throw this.#changed();
    this.#pinned = { size, etag, tag: httpEtag };
    return object;
  }

  /** @param {BucketRange} range @param {AbortSignal} [signal] */
  async #get(range, signal) {
    const onlyIf = this.#pinned && { etagMatches: this.#pinned.etag };
    const how = this.#signals && signal ? { range, signal } : { range };
    const asked = this.#bucket.get(this.#key, onlyIf ? { ...how, onlyIf } : how);
    const object = await this.#found(asked);
    if (!object.body) throw this.#changed();
    return object;
  }

  async #known() {
    if (!this.#pinned) await this.#found(this.#bucket.head(this.#key));
    return /** @type {Pinned} */ (this.#pinned);
  }

  /** The existing part of a range. @param {number} offset @param {number} length */
  async #part(offset, length) {
    const { size } = await this.#known();
    return { offset, length: Math.max(0, Math.min(length, size - offset)) };
  }

  /** @param {BucketObject} object @param {number} length */
  async #bytesOf({ body }, length) {
    const key = this.#key;
    const bytes = new Uint8Array(
      await new Response(body).arrayBuffer().catch((cause) => {
        throw new CpbError('NETWORK', `the response for ${key} broke off`, { cause, retryable: true });
      }),
    );
    if (bytes.length === length) return bytes;
    const short = bytes.length < length;
    throw new CpbError(short ? 'NETWORK' : 'RANGE', `${key}: got ${bytes.length} bytes for a range of ${length}`, {
      retryable: short,
    });
  }

  /** @param {number} offset @param {number} length @param {ReadOptions} [options] */
  async read(offset, length, { signal } = {}) {
    const range = await this.#part(offset, length);
    if (range.length === 0) return new Uint8Array(0);
    return this.#bytesOf(await this.#get(range, signal), range.length);
  }

  async stat() {
    const { size, tag } = await this.#known();
    return { size, etag: tag };
  }

  /** @param {number} length @param {ReadOptions} [options] */
  async tail(length, { signal } = {}) {
    const size = this.#pinned?.size;
    const object = await this.#get(
      size === undefined ? { suffix: length } : await this.#part(Math.max(0, size - length), length),
      signal,
    );
    const bytes = await this.#bytesOf(object, Math.min(length, object.size));
    return { size: object.size, etag: object.httpEtag ?? `"${object.etag}"`, bytes };
  }

  /** @param {number} offset @param {number} length @param {AbortSignal} signal */
  async *pieces(offset, length, signal) {
    const range = await this.#part(offset, length);
    const body = range.length > 0 && (await this.#get(range, signal)).body;
    if (body) yield* piecesOf(body);
  }

  reset() {
    this.#pinned = undefined;
  }
}

/**
 * An object in a bucket, read by ranges; if it is replaced in the meantime, reads fail.
 *
 * @param {Bucket} bucket
 * @param {string} key
 * @returns {Source}
 */
export function bucketSource(bucket, key) {
  return storedSource(bucket, key, false);
}

/**
 * @param {Bucket} bucket
 * @param {string} key
 * @param {boolean} [signals] whether its `get` takes a signal
 * @returns {Source}
 */
export function storedSource(bucket, key, signals = true) {
  const object = new StoredObject(bucket, key, signals);
  return {
    name: key,
    remote: true,
    read: (...args) => object.read(...args),
    stat: () => object.stat(),
    tail: (...args) => object.tail(...args),
    stream: (offset, length, { signal } = {}) => streamOf((inner) => object.pieces(offset, length, inner), signal),
    beside: (name) => storedSource(bucket, key.replace(/[^/]*$/, '') + name, signals),
    reset: () => object.reset(),
  };
}

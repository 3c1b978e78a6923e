import { CpbError } from '../errors.js';
import { piecesOf, streamOf } from './pieces.js';

/** @typedef {import('../types.js').Source} Source */

/**
 * What is used of a bucket binding such as Cloudflare's R2Bucket.
 *
 * @typedef {object} Bucket
 * @property {(key: string, options?: { range?: BucketRange, onlyIf?: { etagMatches: string } }) =>
 *   Promise<BucketObject | null>} get a range of an object
 * @property {(key: string) => Promise<BucketObject | null>} head what is known of it
 */

/**
 * What is asked of a bucket: a range, or the last bytes.
 * @typedef {{ offset: number, length: number } | { suffix: number }} BucketRange
 */

/**
 * What a bucket answers; R2ObjectBody is one.
 * @typedef {object} BucketObject
 * @property {number} size of the whole object
 * @property {string} etag
 * @property {string} [httpEtag]
 * @property {{ offset?: number, length?: number, suffix?: number }} [range] what `body` holds
 * @property {ReadableStream<Uint8Array> | null} [body] absent when `onlyIf` did not hold
 * @property {() => Promise<ArrayBuffer>} [arrayBuffer] not used
 */

/** R2's own codes for: internal error, unavailable, too many requests, timeout. */
const temporary = /\((10001|10043|10054|10058)\)/;

/**
 * An object in a bucket, read by ranges of the object that the first answer told of.
 *
 * @param {Bucket} bucket
 * @param {string} key
 * @returns {Source}
 */
export function bucketSource(bucket, key) {
  /** @type {{ size: number, etag: string, tag: string } | undefined} */
  let pinned;

  /** @param {Promise<BucketObject | null>} answer */
  async function found(answer) {
    const object = await answer.catch((cause) => {
      throw new CpbError('READ', `${key}: ${cause?.message ?? cause}`,
        { cause, retryable: temporary.test(String(cause?.message)) });
    });
    if (!object) throw new CpbError('HTTP', `the bucket has no object ${key}`, { status: 404 });
    const { size, etag, httpEtag = `"${etag}"` } = object;
    if (pinned && (pinned.etag !== etag || pinned.size !== size)) throw changed();
    pinned = { size, etag, tag: httpEtag };
    return object;
  }

  const changed = () => new CpbError('CHANGED', `${key} changed while it was read`);

  /** @param {BucketRange} range */
  async function get(range) {
    const onlyIf = pinned && { etagMatches: pinned.etag };
    const object = await found(bucket.get(key, onlyIf ? { range, onlyIf } : { range }));
    if (!object.body) throw changed();
    return object;
  }

  async function known() {
    if (!pinned) await found(bucket.head(key));
    return /** @type {NonNullable<typeof pinned>} */ (pinned);
  }

  /**
   * What there is of a range.
   *
   * @param {number} offset
   * @param {number} length
   */
  async function part(offset, length) {
    const { size } = await known();
    return { offset, length: Math.max(0, Math.min(length, size - offset)) };
  }

  /** @param {BucketObject} object @param {number} length */
  async function bytesOf(object, length) {
    const cause = (/** @type {unknown} */ error) => {
      throw new CpbError('NETWORK', `${key} broke off`, { cause: error, retryable: true });
    };
    const bytes = new Uint8Array(await new Response(object.body).arrayBuffer().catch(cause));
    if (bytes.length === length) return bytes;
    const short = bytes.length < length;
    throw new CpbError(short ? 'NETWORK' : 'RANGE',
      `${key}: ${bytes.length} bytes for a range of ${length}`, { retryable: short });
  }

  return {
    name: key,
    remote: true,
    async read(offset, length) {
      const range = await part(offset, length);
      if (range.length === 0) return new Uint8Array(0);
      return bytesOf(await get(range), range.length);
    },
    async stat() {
      const { size, tag } = await known();
      return { size, etag: tag };
    },
    async tail(length) {
      const object = await get(pinned
        ? await part(Math.max(0, pinned.size - length), length) : { suffix: length });
      const bytes = await bytesOf(object, Math.min(length, object.size));
      return { size: object.size, etag: object.httpEtag ?? `"${object.etag}"`, bytes };
    },
    stream: (offset, length, { signal } = {}) => streamOf(async function* pieces() {
      const range = await part(offset, length);
      const body = range.length > 0 && (await get(range)).body;
      if (body) yield* piecesOf(body);
    }, signal),
    reset() { pinned = undefined; },
  };
}
